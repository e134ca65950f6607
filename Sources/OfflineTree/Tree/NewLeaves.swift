/// The leaves of a value that is to be written, by kind.
struct NewLeaves {
  private let wallTime: Int64
  private(set) var puts: [(PathKey, Scalar)] = []
  private(set) var increments: [(PathKey, Scalar)] = []
  private(set) var priorities: [(PathKey, NewValue.Priority)] = []

  init(wallTime: Int64) { self.wallTime = wallTime }

  /// - Throws: `limitExceeded` for a path too long or too deep, or a string too long.
  mutating func collect(_ value: NewValue, at path: PathKey) throws(TreeError) {
    switch value.content {
    case .null: return
    case .scalar(let scalar): puts.append((path, try scalar.normalized()))
    case .timestamp: puts.append((path, .int(wallTime)))
    case .increment(let number): increments.append((path, number))
    case .object(let members):
      for member in members { try collect(member.value, at: try path.child(member.key)) }
    }
    if let priority = value.priority, priority != .null { priorities.append((path, priority)) }
  }

  var paths: [PathKey] { puts.map(\.0) + increments.map(\.0) }

  func isOnePut(at path: PathKey) -> Bool { increments.isEmpty && puts.count == 1 && puts[0].0 == path }

  func isOneIncrement(at path: PathKey) -> Bool {
    puts.isEmpty && priorities.isEmpty && increments.count == 1 && increments[0].0 == path
  }

  /// The priority that is stored; an increment is resolved where the old one is known.
  func resolve(_ priority: NewValue.Priority) -> Scalar? {
    switch priority {
    case .null: nil
    case .scalar(let scalar), .increment(let scalar): scalar
    case .timestamp: .int(wallTime)
    }
  }
}
