/// The folder of one device: private to its owner, and never shared with another machine.
///
/// ```
/// data/            LMDB's files
/// wake             changes after every commit: what other processes watch
/// publisher.lock   held by the one process that publishes to remotes
/// ```
package struct Home: Sendable {
  /// The folder.
  package let path: String

  /// Makes the folder, with the permissions 700, if it is missing; its parent exists.
  ///
  /// - Throws: `.inputOutput` if somebody else owns it or can enter it.
  package init(creating path: String) throws(TreeError) {
    try FileSystem.makeDirectory(path)
    try self.init(existing: path)
    try FileSystem.makeDirectory(dataPath)
    try FileSystem.requirePrivate(dataPath)
  }

  /// Uses a folder that was made before.
  ///
  /// - Throws: `.notFound` if it is missing, `.inputOutput` if somebody else owns it or can enter it.
  package init(existing path: String) throws(TreeError) {
    try FileSystem.requirePrivate(path)
    self.path = path
  }

  package var dataPath: String { "\(path)/data" }
  package var wakePath: String { "\(path)/wake" }
  package var publisherLockPath: String { "\(path)/publisher.lock" }

  /// Opens the store of this home; a process has one, however often it is opened.
  package func openStore(_ options: StoreOptions = StoreOptions()) throws(TreeError) -> Store {
    try Store.open(dataPath, options: options)
  }
}
