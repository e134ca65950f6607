internal import OfflineTree

/// Finds a joke by its id or the beginning of it.
enum JokeID {
  /// - Throws: `notFound` if no id begins so, `invalidArgument` if several do.
  static func resolve(_ text: String, in transaction: ReadTransaction) throws -> Key {
    if text.isEmpty {
      throw TreeError(
        .invalidArgument, "the id is empty", advice: "\"\(Program.name) list\" shows the ids; its beginning will do.")
    }
    let prefix = try Key(text)
    if try transaction.exists(at: try JokesSpace.joke(prefix)) { return prefix }
    let found = try transaction.keys(
      at: JokesSpace.jokes, after: try lowerBound(prefix), limit: 2
    ).filter { $0.utf8.starts(with: prefix.utf8) }
    guard let first = found.first else {
      throw TreeError(
        .notFound, "no joke's id begins with \"\(text)\"",
        advice: "\"\(Program.name) list\" shows the ids; \"\(Program.name) sync\" fetches new ones.")
    }
    if found.count > 1 {
      throw TreeError(
        .invalidArgument, "several ids begin with \"\(text)\", for example \(found[0]) and \(found[1])",
        advice: "Type more of the id.")
    }
    return first
  }

  /// Before every text key that begins so. Keys that are numbers sort apart from those that they begin.
  private static func lowerBound(_ prefix: Key) throws(TreeError) -> Key {
    let digits = prefix.utf8.first == UInt8(ascii: "-") ? prefix.utf8.dropFirst() : prefix.utf8[...]
    let isNumber = !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return isNumber ? try Key(prefix.text + " ") : prefix
  }
}
