/// What commits have touched of an observed node since it was looked at last.
struct Touches: Sendable {
  /// The children at or below which something was touched.
  private(set) var children: Set<PathKey> = []
  /// Children may be any.
  private(set) var isWhole = false
  /// Something was touched.
  private(set) var isAny = false

  /// Beyond so many children, they may be any.
  static let limit = 65_536

  static let everything = {
    var touches = Touches()
    touches.insertEverything()
    return touches
  }()

  /// The node itself.
  mutating func insertNode() { isAny = true }

  mutating func insert(_ child: PathKey) {
    isAny = true
    if isWhole { return }
    children.insert(child)
    if children.count > Touches.limit { insertEverything() }
  }

  mutating func insertEverything() {
    isAny = true
    isWhole = true
    children = []
  }
}
