/// A write that is kept in the home and made later, if at all.
struct KeptWrite: Sendable {
  enum Step: Sendable {
    case set(Path, NewValue)
    case priority(Path, NewValue.Priority)

    var path: Path {
      switch self {
      case .set(let path, _), .priority(let path, _): path
      }
    }
  }

  /// As whom it is made.
  var user: Key?
  var steps: [Step]

  private static let version: UInt8 = 0

  init(user: Key?, _ steps: [Step]) {
    self.user = user
    self.steps = steps
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.u8(Self.version)
    writer.prefixed(user?.text ?? "")
    writer.varint(steps.count)
    for step in steps {
      switch step {
      case .set(let path, let value):
        writer.u8(0)
        writer.prefixed(path.description)
        value.encode(to: &writer)
      case .priority(let path, let priority):
        writer.u8(1)
        writer.prefixed(path.description)
        priority.encode(to: &writer)
      }
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    guard try reader.u8("version of a kept write") == Self.version else {
      throw TreeError(.unsupportedVersion, "a newer version kept a write", advice: "Update this program.")
    }
    let name = String(decoding: try reader.prefixed("user", limit: Limits.pathBytes), as: UTF8.self)
    user = name.isEmpty ? nil : try Key(name)
    steps = []
    for _ in 0..<(try reader.count("steps", limit: reader.remaining)) {
      let isPriority = try reader.u8("kind of a step") == 1
      let path = try Path(String(decoding: try reader.prefixed("path", limit: Limits.pathBytes), as: UTF8.self))
      steps.append(
        isPriority
          ? .priority(path, try NewValue.Priority.decode(from: &reader))
          : .set(path, try NewValue.decode(from: &reader)))
    }
  }

  func perform(_ transaction: WriteTransaction) throws {
    try transaction.update(
      steps.compactMap { step in if case .set(let path, let value) = step { (PathKey(path), value) } else { nil } })
    for case .priority(let path, let priority) in steps { try transaction.setPriority(priority, at: path) }
  }
}
