/// Models of which one property can be written, and the others are left as they are.
///
/// What two devices set while apart are then two writes that both count, where writing whole models would let one win.
public protocol PropertyWritable: TreeModel {}

extension PropertyWritable {
  /// Writes one property, and sets it here once that is durable.
  /// - Throws: `invalidArgument` for a model that was not read, or a property whose name cannot be found out.
  public mutating func set<Property: Encodable>(
    _ property: WritableKeyPath<Self, Property>, to value: Property
  ) async throws {
    let place = try requireReference().child(try Self.childName(of: property))
    try await place.setValue(try Self.encoder.encode(value, at: place.path))
    self[keyPath: property] = value
  }

  /// Adds to a number, and adds to it here: none is lost, whoever adds meanwhile.
  public mutating func increment<Number: FixedWidthInteger & Encodable>(
    _ property: WritableKeyPath<Self, Number>, by delta: Number
  ) async throws {
    let place = try requireReference().child(try Self.childName(of: property))
    guard let number = Int64(exactly: delta) else {
      throw TreeError(.invalidArgument, "\(delta) does not fit into 64 bits with a sign")
    }
    try await place.setValue(try NewValue.increment(.int(number)))
    self[keyPath: property] &+= delta
  }

  /// Writes the child of that name, whatever it is. What is here stays as it was read.
  public func set(value: Any?, for key: String) async throws {
    try await requireReference().child(key).setValue(value)
  }

  /// Adds a link to a map of links.
  public func add(key: String, forNode path: String) async throws {
    try await requireReference().child(path).child(key).setValue(true)
  }

  /// Adds a link to a property that is a map of links, and adds it here.
  public mutating func add<Target>(_ link: Link<Target>, to property: WritableKeyPath<Self, [Link<Target>]>)
    async throws
  {
    try await add(key: link.key, forNode: try Self.childName(of: property))
    if !self[keyPath: property].contains(link) { self[keyPath: property].append(link) }
  }

  /// Takes a link out of a property that is a map of links, and out of it here.
  public mutating func remove<Target>(
    _ link: Link<Target>, from property: WritableKeyPath<Self, [Link<Target>]>
  ) async throws {
    try await requireReference().child(try Self.childName(of: property)).child(link.key).removeValue()
    self[keyPath: property].removeAll { $0 == link }
  }

  /// The same for programs without `async`.
  public func add(key: String, forNode path: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
    do {
      try requireReference().child(path).child(key).setValue(true) { error, _ in completion(error) }
    } catch {
      completion(error)
    }
  }

  /// Writes the child of that name, and returns at once; what goes wrong later is told to `Database.failures`.
  /// - Throws: `invalidArgument` for a model that was not read.
  public func set(value: Any?, for key: String) throws {
    try requireReference().child(key).setValue(value)
  }
}
