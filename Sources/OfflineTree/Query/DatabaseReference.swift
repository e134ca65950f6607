/// A place in the tree: where values are read, observed and written.
///
/// Immutable; making one reads nothing but, in `own` add-only sets, the last key that is there.
public final class DatabaseReference: DatabaseQuery, @unchecked Sendable {
  init(_ database: Database, _ location: QueryLocation) { super.init(database, location) }

  /// The node at a path below this one, such as "a/b".
  public func child(_ path: String) -> DatabaseReference { DatabaseReference(database, location.child(path)) }

  /// A new child, whose key sorts after those of all children that this device has made before.
  ///
  /// In an `own` add-only set the key is bound to this device, and good for a write of this process: of this reference,
  /// of those below it, or of any that have the key.
  public func childByAutoId() -> DatabaseReference {
    if location.invalid != nil { return self }
    var location = location
    do throws(TreeError) {
      if location.info != nil { throw DatabaseReference.isReadOnly }
      let (key, binding) = try database.makeKey(in: path)
      location.path = try path.child(key)
      if let binding { location.binding = binding }
    } catch {
      location.invalid = error
    }
    return DatabaseReference(database, location)
  }

  /// The node above; nil at the root.
  public var parent: DatabaseReference? {
    if location.info != nil {
      return location.info == .all ? root : DatabaseReference(database, QueryLocation().child(InfoPath.all.rawValue))
    }
    guard let parent = path.parent else { return nil }
    var location = location
    location.path = parent
    if let binding = location.binding, !binding.element.isPrefix(of: PathKey(parent)) { location.binding = nil }
    return DatabaseReference(database, location)
  }

  /// The root of the tree.
  public var root: DatabaseReference { DatabaseReference(database, QueryLocation()) }

  /// The last key of the path; nil at the root.
  public var key: String? {
    location.info.map { String($0.rawValue.split(separator: "/").last ?? "") } ?? path.key?.text
  }

  /// "offlinetree://", the space's id, and the path with what URLs cannot hold percent-encoded.
  public var url: String {
    let names = location.info.map { $0.rawValue.split(separator: "/").map(String.init) } ?? path.keys.map(\.text)
    return "\(DatabaseReference.scheme)\(database.spaceID)"
      + names.map { "/" + PercentEncoding.encode($0) }.joined()
  }

  static let scheme = "offlinetree://"

  static var isReadOnly: TreeError {
    TreeError(.refused, ".info tells what this device knows of itself, and cannot be written")
  }
}

extension DatabaseReference: CustomStringConvertible {
  /// The URL.
  public var description: String { url }
}

extension Database {
  /// The root of the tree.
  public func reference() -> DatabaseReference { DatabaseReference(self, QueryLocation()) }

  /// The node at a path such as "jokes/-KaQYfs3kbt4XgDY0ftb".
  public func reference(withPath path: String) -> DatabaseReference { reference().child(path) }

  /// The node that a reference's `url` names, in this space.
  public func reference(fromURL url: String) -> DatabaseReference {
    var location = QueryLocation()
    do throws(TreeError) {
      let names = try PercentEncoding.names(of: url, scheme: DatabaseReference.scheme)
      guard names[0].lowercased() == spaceID.description else {
        throw TreeError(.invalidArgument, "\(url) is not of this space", advice: "Open the home of that space.")
      }
      location = location.child(names.dropFirst().joined(separator: "/"))
    } catch {
      location.invalid = error
    }
    return DatabaseReference(self, location)
  }
}
