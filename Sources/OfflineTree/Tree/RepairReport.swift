/// What a repair of a home has found, and what it made of it.
public struct RepairReport: Sendable {
  /// What was wrong, in sentences.
  public internal(set) var problems: [String]
  /// Changes that were found and are in the new database, of whatever device.
  public internal(set) var changes = 0
  /// Those of this device.
  public internal(set) var ownChanges = 0
  /// Changes of this device that were found and stand in the new database until what is missing before them comes from
  /// others.
  public internal(set) var ownWaiting = 0
  /// Changes of this device that were here and are found no more: they come back if others have them.
  public internal(set) var ownLost = 0
  /// Changes of this device that were found and are not in the new database: nothing says that they are whole, or they
  /// wait for others and there is no room for more of that kind.
  public internal(set) var ownLeftOver = 0
  /// Changes that were found and of which nothing proves whose they are: they are written down, and never applied.
  public internal(set) var unproven = 0
  /// The file in which both are written for people; nil if there are none.
  public internal(set) var leftOverFile: String?
  /// Changes of others that the damaged database had, or had dropped, and that do not count in the new one: until they
  /// come from a device that keeps all, what is shown is not whole.
  public internal(set) var othersMissing = 0
  /// Has this device promised to keep all history? Then others may rely on what its home held.
  public internal(set) var isKeeper = false
  /// Remotes that can only be made out on old pages: the user says whether they still are.
  public internal(set) var doubtfulRemotes: [String] = []
  /// Where the damaged database is kept.
  public internal(set) var damagedCopy = ""
}
