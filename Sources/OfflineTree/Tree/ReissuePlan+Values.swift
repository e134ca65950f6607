/// Values, and elements of add-only sets.
extension ReissuePlan {
  struct Group {
    let path: PathKey
    let isElement: Bool
    var puts: [(PathKey, Scalar)] = []

    var value: Value {
      var builder = ValueBuilder(below: path)
      for (path, scalar) in puts { unsafe builder.add(path.bytes.span.bytes, Value(scalar)) }
      return builder.value
    }
  }

  /// By path: puts are sorted, and none is below another.
  var groups: [Group] {
    var groups: [PathKey: Group] = [:]
    var clears: Set<PathKey> = []
    for case .clear(let path) in void.change.operations {
      // A value that is put in an element brings a clear, which does nothing there.
      if replica.declarations.isFlagged(path) || replica.declarations.isInElement(path) { continue }
      clears.insert(path)
      groups[path] = Group(path: path, isElement: false)
    }
    for case .put(let path, let scalar) in void.change.operations where !replica.declarations.isFlagged(path) {
      let element = replica.declarations.element(of: path)?.path
      let root = element ?? path.ancestors.first { clears.contains($0) } ?? path
      groups[root, default: Group(path: root, isElement: element != nil)].puts.append((path, scalar))
    }
    return groups.values.sorted { $0.path < $1.path }
  }

  mutating func add(_ group: Group, _ rows: borrowing StoreTransaction) throws(TreeError) {
    if group.isElement { return try addElement(group, rows) }
    let (path, action) = (group.path, Step.Action.set(group.value))
    let place = ReissuePlace.value(path)
    if try isSuperseded(ReissuePlace.values(over: path), rows) { return append(path, action, .superseded) }
    let now = try TreeReader.value(at: path, rows)
    if action == .set(now) { return append(path, action, .stands, place: place) }
    let isUnseen = try replica.hasUnseen(at: path, void, rows)
    rewritten[path] = group
    append(path, action, isUnseen ? .replaces(now) : .again, place: place)
  }

  private mutating func addElement(_ group: Group, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let (element, action) = (group.path, Step.Action.add(group.value))
    if try TreeReader.exists(element, rows) {
      return append(element, action, try stands(group, at: element, rows) ? .stands : .taken)
    }
    guard replica.declarations.element(of: element)?.keys == .own, !isImport else {
      rewritten[element] = group
      return append(element, action, .again)
    }
    if let own = void.change.binding(of: element), own.binds(to: replica.device, space: replica.space) {
      rewritten[element] = group
      return append(element, action, .again, at: element, own)
    }
    guard let binding = otherBinding(for: element) else {
      return append(element, action, .byHand("this device cannot make a key for it"))
    }
    let other = binding.element.path
    moved[element] = binding
    if try TreeReader.exists(binding.element, rows) {
      return append(element, action, try stands(group, at: binding.element, rows) ? .stands : .taken)
    }
    rewritten[element] = group
    append(element, action, .againAt(other), at: binding.element, binding)
  }

  /// Was all of it put where an element is? What others have counted up there since is no part of what was put.
  private func stands(
    _ group: Group, at element: PathKey, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    for (path, scalar) in group.puts {
      let place = PathKey(trusted: element.bytes + path.bytes[group.path.bytes.count...])
      let register = try replica.register(place, rows).register
      if register.shownVersion(try replica.view(place, register, rows))?.value != scalar { return false }
    }
    return true
  }

  /// A key that follows from the change and the element, so that copies of this home that do the same make the same.
  private func otherBinding(for element: PathKey) -> ElementBinding? {
    guard let set = element.parent, let old = element.lastKey else { return nil }
    let time = PushID.milliseconds(of: old) ?? void.change.wallTime
    let nonce = RowKey.number(Sodium.hash32(void.position.hash.bytes + element.bytes).bytes.prefix(8))
    let key = ElementBinding.key(space: replica.space, device: replica.device, milliseconds: time, nonce: nonce)
    return (try? set.child(key)).map { ElementBinding(element: $0, nonce: nonce) }
  }
}

extension ReissuableChange.Step.Outcome {
  fileprivate static var taken: Self {
    .byHand("something else stands there, and nothing in the set can be changed")
  }
}
