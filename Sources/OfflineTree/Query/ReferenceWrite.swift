/// What a reference writes: prepared where it is called, made on the writer's thread.
struct ReferenceWrite: Sendable {
  /// Paths and what becomes of them, in order.
  private(set) var steps: [Step] = []

  enum Step: Sendable {
    case set(Path, NewValue)
    case priority(Path, NewValue.Priority)
  }

  static func set(_ path: Path, _ value: NewValue) -> ReferenceWrite { ReferenceWrite(steps: [.set(path, value)]) }

  static func priority(_ path: Path, _ priority: NewValue.Priority) -> ReferenceWrite {
    ReferenceWrite(steps: [.priority(path, priority)])
  }

  mutating func add(_ step: Step) { steps.append(step) }

  /// Several paths below one at once; a path may end in ".priority".
  /// - Throws: `invalidArgument` for a path that cannot be one, or is at, above or below another; what
  ///   `NewValue(any:)` throws.
  static func update(_ path: Path, _ values: [String: Any?]) throws(TreeError) -> ReferenceWrite {
    var write = ReferenceWrite()
    for name in values.keys.sorted() {
      let value = try NewValue(any: values[name] ?? nil)
      if let node = try priorityOwner(of: name) {
        guard let priority = NewValue.Priority(value) else {
          throw TreeError(
            .invalidArgument, "the update's path \(name): a priority is null, a number, a string or a server value")
        }
        write.steps.append(.priority(try path.appending(node), priority))
      } else {
        write.steps.append(.set(try path.appending(try Path(name)), value))
      }
    }
    try write.checkOverlap()
    return write
  }

  /// The path of the node whose priority a name means; nil for other names.
  private static func priorityOwner(of name: String) throws(TreeError) -> Path? {
    let last = name.split(separator: "/").last ?? ""
    guard last.utf8.elementsEqual(".priority".utf8) else { return nil }
    let end = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.startIndex
    return try Path(String(name[..<end]))
  }

  /// A node's priority counts as something below the node.
  private func checkOverlap() throws(TreeError) {
    let places = steps.map { step in
      switch step {
      case .set(let path, _): (path: PathKey(path), isPriority: false)
      case .priority(let path, _): (path: PathKey(path), isPriority: true)
      }
    }
    let sorted = places.sorted { $0.path != $1.path ? $0.path < $1.path : !$0.isPriority && $1.isPriority }
    for (index, upper) in sorted.enumerated() where !upper.isPriority {
      // What a set covers stands right behind it.
      guard index + 1 < sorted.count, upper.path.isPrefix(of: sorted[index + 1].path) else { continue }
      let lower = sorted[index + 1]
      throw TreeError(
        .invalidArgument,
        "the update's path \(upper.path) is at or above \(lower.path)\(lower.isPriority ? "/.priority" : "")",
        advice: "Leave one of them out.")
    }
  }

  /// Makes it, as part of the change that `transaction` becomes.
  func perform(binding: ElementBinding?, _ transaction: WriteTransaction) throws {
    try transaction.bindIfNew(binding)
    try transaction.update(
      steps.compactMap { step in if case .set(let path, let value) = step { (PathKey(path), value) } else { nil } })
    for case .priority(let path, let priority) in steps { try transaction.setPriority(priority, at: path) }
  }
}

extension WriteTransaction {
  /// Says who made the element of an add-only set that a reference is at or in, if this change makes it.
  func bindIfNew(_ binding: ElementBinding?) throws {
    if let binding, try !exists(at: binding.element.path) { bind(binding) }
  }
}
