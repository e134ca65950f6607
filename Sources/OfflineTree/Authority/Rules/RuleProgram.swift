/// One location of the rules: what they say there. A rule that is not there is -1.
struct RuleNode: Sendable {
  var read: Int32 = -1
  var write: Int32 = -1
  var validate: Int32 = -1
  var vote: Int32 = -1
  var increment: Int32 = -1
  /// The location for keys that are not named here, or -1.
  var variable: Int32 = -1
  /// Its literal keys in `RuleProgram.edges`, sorted by the bytes of path keys.
  var firstEdge: Int32 = 0
  var lastEdge: Int32 = 0

  func expression(_ rule: RuleName) -> Int {
    switch rule {
    case .read: Int(read)
    case .write: Int(write)
    case .validate: Int(validate)
    case .vote: Int(vote)
    case .increment: Int(increment)
    }
  }

  mutating func set(_ rule: RuleName, to expression: Int32) {
    switch rule {
    case .read: read = expression
    case .write: write = expression
    case .validate: validate = expression
    case .vote: vote = expression
    case .increment: increment = expression
    }
  }
}

/// The rules that are expressions.
enum RuleName: UInt8, Sendable, CaseIterable {
  case read, write, validate, vote, increment

  var text: String {
    switch self {
    case .read: ".read"
    case .write: ".write"
    case .validate: ".validate"
    case .vote: ".vote"
    case .increment: ".increment"
    }
  }
}

/// A literal key of a location and where it leads.
struct RuleEdge: Sendable {
  /// Its bytes in `RuleProgram.components`.
  let start: Int32
  let end: Int32
  let node: Int32
}

struct RuleExpression: Sendable {
  /// Where its instructions begin.
  let start: Int32
  /// What it is without being evaluated: `true`, `false`, or nil.
  let constant: Bool?
  let place: RulePlace
}

/// A path of literal keys, as `child('a/b')` names it.
struct RulePath: Sendable {
  /// The path key's bytes.
  let bytes: [UInt8]
  let levels: Int
}

/// A compiled rules document. One object, so that judging copies no arrays.
final class RuleProgram: Sendable {
  let code: RuleCode
  let nodes: [RuleNode]
  let edges: [RuleEdge]
  let components: [UInt8]
  /// "/jokes/$joke" for each node; "/" for the root.
  let locations: [String]
  let indexes: [[String]]
  let warnings: [RuleWarning]
  private static let filesKey = PathKey(Path(trusted: [Key(trusted: PathKey.filesName)])).bytes

  init(
    code: RuleCode, nodes: [RuleNode], edges: [RuleEdge], components: [UInt8], locations: [String],
    indexes: [[String]], warnings: [RuleWarning]
  ) {
    self.code = code
    self.nodes = nodes
    self.edges = edges
    self.components = components
    self.locations = locations
    self.indexes = indexes
    self.warnings = warnings
  }

  /// The location of files: that of the key `@files`, never that of a variable; or -1.
  var files: Int {
    let key = Self.filesKey
    let known = child(of: 0, component: key.span)
    return known == Int(nodes[0].variable) ? -1 : known
  }

  /// The location below `node` for one key of a path, or -1. O(log keys).
  @inline(__always)
  func child(of node: Int, component: borrowing Span<UInt8>) -> Int {
    var (low, high) = (Int(nodes[node].firstEdge), Int(nodes[node].lastEdge))
    let end = high
    // A span needs a variable of its own to live as long as.
    let components = components
    while low < high {
      let middle = (low + high) / 2
      let edge = edges[middle]
      let key = components.span.extracting(Int(edge.start)..<Int(edge.end))
      if RuleBytes.precedes(key, component) { low = middle + 1 } else { high = middle }
    }
    if low < end {
      let edge = edges[low]
      let key = components.span.extracting(Int(edge.start)..<Int(edge.end))
      if key.count == component.count, UTF8Text.commonPrefix(key, component) == key.count { return Int(edge.node) }
    }
    return Int(nodes[node].variable)
  }
}

enum RuleBytes {
  /// Is `left` before `right`, byte by byte?
  @inline(__always)
  static func precedes(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Bool {
    let index = UTF8Text.commonPrefix(left, right)
    return index < left.count && index < right.count ? left[index] < right[index] : left.count < right.count
  }
}

/// The instructions of all expressions, and the constants that they name.
struct RuleCode: Sendable {
  var instructions: [RuleInstruction] = []
  var expressions: [RuleExpression] = []
  var numbers: [Scalar] = []
  var texts: [[UInt8]] = []
  var paths: [RulePath] = []
  var patterns: [RulePattern] = []
  /// Of all patterns.
  var patternSteps = 0
}
