internal import OfflineTree

/// Where a raw command points: a node, or the priority of one ("a/b/.priority").
struct RawPath: Sendable {
  let path: Path
  let isPriority: Bool

  init(_ text: String) throws(TreeError) {
    var keys = text.split(separator: "/").map(String.init)
    isPriority = keys.last == ".priority"
    if isPriority { keys.removeLast() }
    path = try Path(keys.joined(separator: "/"))
  }

  /// A node's path.
  /// - Throws: `invalidArgument` for a priority's.
  static func node(_ text: String) throws(TreeError) -> Path { try Path(text) }
}

extension WriteTransaction {
  /// Sets a node, or the priority of one.
  func set(_ value: NewValue, at target: RawPath) throws {
    guard target.isPriority else { return try setValue(value, at: target.path) }
    switch NewValue.Priority(value) {
    case .null: try setPriority(nil, at: target.path)
    case .scalar(let scalar): try setPriority(scalar, at: target.path)
    case .timestamp, .increment, nil:
      throw TreeError(.invalidArgument, "a priority is null, a number or a string", advice: "Write one of them.")
    }
  }
}

extension Invocation {
  /// Bytes of a JSON value on standard input: more than a change can take anyway.
  private static let valueLimit = 2 * Limits.changeBytes

  /// The JSON of an operand, read by `parse`.
  /// - Throws: What `parse` throws, with advice.
  func json<Parsed>(_ index: Int, _ parse: ([UInt8]) throws(TreeError) -> Parsed) throws(TreeError) -> Parsed {
    let isInput = operand(index) == "-"
    let bytes =
      isInput ? try StandardInput.readAll(limit: Invocation.valueLimit) : Array((operand(index) ?? "").utf8)
    do throws(TreeError) {
      return try parse(bytes)
    } catch  where error.code == .invalidArgument && error.advice.isEmpty {
      throw TreeError(
        .invalidArgument, error.context,
        advice: isInput
          ? "Standard input must be one JSON value." : "Write JSON, texts in quotes of their own: '\"dark\"'.",
        underlying: error.underlying)
    }
  }

  /// Opens the home, and runs `body` as one change of the user who is logged in; of nobody with `--admin`, or if nobody
  /// is, which is administration on an owner's device.
  func write<R: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> R) async throws -> R {
    let database = try openDatabase()
    defer { database.close() }
    let author = try author(in: database)
    do {
      return try await database.write(as: author, body)
    } catch let error as TreeError where error.code == .refused && author == nil && !arguments.has(.admin) {
      if try database.isNewcomer() || database.isOwner() { throw error }
      throw TreeError(
        .refused, error.context, advice: "Nobody is logged in here: \(Program.name) login. \(error.advice)",
        underlying: error.underlying)
    }
  }

  private func author(in database: Database) throws -> Key? {
    guard arguments.has(.admin) else { return try Auth(database).currentUser?.uid }
    guard try database.isOwner() else {
      throw TreeError(
        .refused, "\(Option.admin.name) is for owners' devices, and this is none",
        advice: "Do it on an owner's device, or without \(Option.admin.name).")
    }
    return nil
  }
}

extension Option {
  static let admin = Option(
    name: "--admin", summary: "write as nobody, on an owner's device: administration, which rules do not judge")
}
