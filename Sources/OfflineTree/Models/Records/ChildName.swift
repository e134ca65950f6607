extension TreeModel {
  /// The name in the tree of a property, or the path of one inside another: "votes", "address/city".
  ///
  /// It is found out by decoding models in which one child after another is different, and looking which of them
  /// changes the property: once for each property. A property that no child changes, that several do, or that is
  /// worked out from one, is an error; so are types that cannot be decoded from made-up values. Then `childNames` says
  /// what its name is.
  /// - Throws: `invalidArgument` where the name cannot be found out.
  public static func childName<Property: Encodable>(of property: KeyPath<Self, Property>) throws(TreeError) -> String {
    if let name = childNames[property] { return name }
    if let name = ChildNames.known.withLock({ $0[property] }) { return name }
    let name = try Prober(property).name()
    ChildNames.known.withLock { $0[property] = name }
    return name
  }
}

private enum ChildNames {
  static let known = Monitor<[AnyKeyPath: String]>([:])
}

/// Finds out which child of a model is behind a property.
private struct Prober<Model: TreeModel, Property: Encodable> {
  let property: KeyPath<Model, Property>

  init(_ property: KeyPath<Model, Property>) { self.property = property }

  func name() throws(TreeError) -> String {
    let found: [String]
    do {
      let plain = ProbeDecoder(Model.decoder)
      let model = try Model(from: plain)
      let value = try Model.encoder.encode(model[keyPath: property])
      found = try plain.seen.leaves.compactMap { try name(behind: $0, value) }
    } catch {
      throw failure("\(error)")
    }
    let names = Set(found)
    guard names.count == 1, let name = names.first else {
      throw failure(
        names.isEmpty ? "no child changes it alone" : "it follows from \(names.sorted().joined(separator: ", "))")
    }
    return name
  }

  /// The property's name, if it is what the child `names` holds or is inside of.
  private func name(behind names: [String], _ plain: NewValue) throws -> String? {
    let model = try Model(from: ProbeDecoder(Model.decoder, marked: names))
    let value = try Model.encoder.encode(model[keyPath: property])
    guard let inner = plain.difference(from: value) else { return nil }
    guard names.suffix(inner.count) == inner[...] else { throw TreeError(.invalidArgument, "it is made anew") }
    let outer = Array(names.dropLast(inner.count))
    // Written back, it has to be what the property is: else the property is worked out from the child.
    let whole = try Model.encoder.encode(model)
    guard whole.node(at: outer) == value else {
      throw TreeError(.invalidArgument, "it is worked out from \(names.joined(separator: "/"))")
    }
    return outer.joined(separator: "/")
  }

  private func failure(_ reason: String) -> TreeError {
    TreeError(
      .invalidArgument, "the name of the property \(property) of \(Model.self) cannot be found out: \(reason)",
      advice: "Say in childNames of \(Model.self) which child it is.")
  }
}

extension NewValue {
  fileprivate func node(at names: [String]) -> NewValue {
    names.reduce(self) { node, name in
      guard case .object(let members) = node.content else { return .null }
      return members.first { $0.key.text == name }?.value ?? .null
    }
  }

  /// Where the first difference is; nil if there is none.
  fileprivate func difference(from other: NewValue) -> [String]? {
    if self == other { return nil }
    guard case .object(let members) = content, case .object(let others) = other.content else { return [] }
    for key in Set(members.map(\.key) + others.map(\.key)).sorted() {
      if let inner = node(at: [key.text]).difference(from: other.node(at: [key.text])) { return [key.text] + inner }
    }
    return []
  }
}
