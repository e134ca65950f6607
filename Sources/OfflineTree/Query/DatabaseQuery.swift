/// Children of a node in an order, all of them or some: what can be read once or observed.
///
/// Immutable; making one reads nothing. A query that cannot be, such as one with two limits or below a name that cannot
/// be a key, is made all the same, and throws what is wrong with it when it is read, observed or written.
public class DatabaseQuery: @unchecked Sendable {
  // Unchecked only because a class with a subclass cannot say so: every property is constant, and Sendable.

  public final let database: Database
  package final let location: QueryLocation
  package final let parameters: QueryParameters
  /// Was an order asked for?
  final let hasOrder: Bool

  init(_ database: Database, _ location: QueryLocation, _ parameters: QueryParameters = .all, hasOrder: Bool = false) {
    self.database = database
    self.location = location
    self.parameters = parameters
    self.hasOrder = hasOrder
  }

  /// The node whose children these are; the root where the query is invalid.
  package final var path: Path { location.path }
  /// Why it cannot be read, if it cannot.
  package final var invalid: TreeError? { location.invalid }

  /// - Throws: Why it cannot be read.
  package final func requireValid() throws(TreeError) {
    if let error = location.invalid { throw error }
  }

  /// The node whose children these are.
  public final var ref: DatabaseReference { DatabaseReference(database, location) }
}

/// Where a query stands.
package struct QueryLocation: Sendable, Equatable {
  package var path = Path.root
  /// Set for `.info` and what is below it, which is no part of the tree.
  package var info: InfoPath?
  /// Set where the query cannot be.
  package var invalid: TreeError?
  /// What binds the key of an element to this device, if this stands at or in one whose key it has made.
  package var binding: ElementBinding?

  package init(_ path: Path = .root) { self.path = path }

  /// Goes down by a text like "a/b".
  package func child(_ text: String) -> QueryLocation {
    if invalid != nil { return self }
    var result = self
    do throws(TreeError) {
      if let info {
        result.info = try info.child(text)
      } else if path.isRoot, let info = try InfoPath(text) {
        result.info = info
      } else {
        result.path = try path.child(text)
      }
    } catch {
      result.invalid = error
    }
    return result
  }
}

/// What this device knows of itself; can be read and observed, never written.
package enum InfoPath: String, Sendable, Hashable {
  case all = ".info"
  /// Is there a connection to anybody?
  case connected = ".info/connected"
  /// What to add to this device's clock, in milliseconds.
  case serverTimeOffset = ".info/serverTimeOffset"

  /// Nil for a text that is no such path.
  init?(_ text: String) throws(TreeError) {
    let parts = text.split(separator: "/")
    guard parts.first == ".info" else { return nil }
    guard let path = InfoPath(rawValue: parts.joined(separator: "/")) else { throw InfoPath.unknown(text) }
    self = path
  }

  func child(_ text: String) throws(TreeError) -> InfoPath {
    let parts = text.split(separator: "/")
    if parts.isEmpty { return self }
    guard self == .all, let path = InfoPath(rawValue: ".info/" + parts.joined(separator: "/")) else {
      throw InfoPath.unknown("\(rawValue)/\(text)")
    }
    return path
  }

  private static func unknown(_ text: String) -> TreeError {
    TreeError(
      .invalidArgument, "there is nothing at \(text)", advice: "There are .info/connected and .info/serverTimeOffset.")
  }
}

extension DatabaseQuery: Hashable {
  public static func == (left: DatabaseQuery, right: DatabaseQuery) -> Bool {
    left.database === right.database && left.path == right.path && left.location.info == right.location.info
      && left.parameters == right.parameters && left.invalid == right.invalid
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(parameters)
  }
}
