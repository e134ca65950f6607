internal import OfflineTree

/// Who does what while apart, who meets whom in which order, and what everybody shows in the end.
///
/// The format is that of the merge model:
/// ```
/// {"name", "devices": [name…], "addOnly": [path…], "flags": {counter: template}, "steps": [step…],
///  "expect": {device: {"tree", "conflicts", "clock"}}}
/// step:      {"device", "at": ms, "write": [operation…], "refused": true?} or {"device", "at": ms, "end": device}
///            or {"from", "to"}
/// operation: {"set": path, "value"}  {"remove": path}  {"increment": path, "by"}  {"vote": path, "voter", "choice"}
/// ```
struct Scenario: Sendable {
  enum Step: Sendable {
    case write(device: Int, at: Int64, [Operation], isRefused: Bool)
    /// The device ends another's log: what it has not seen of it is void.
    case end(device: Int, at: Int64, Int)
    case exchange(from: Int, to: Int)
  }

  enum Operation: Sendable {
    case set(String, Document)
    case remove(String)
    case increment(String, by: Scalar)
    case vote(String, voter: String, choice: Int)
  }

  let name: String
  let devices: [String]
  let addOnlySets: [Genesis.AddOnlySet]
  let flags: [Genesis.Flag]
  let steps: [Step]
  let expected: Document?

  /// - Throws: `invalidArgument`, saying what of the document is not understood.
  init(_ document: Document) throws(TreeError) {
    name = document["name"]?.text ?? "without a name"
    devices = (document["devices"]?.elements ?? []).compactMap(\.text)
    if devices.isEmpty { throw Scenario.error(name, "it has no devices") }
    var sets: [Genesis.AddOnlySet] = []
    for path in document["addOnly"]?.elements ?? [] { sets.append(.init(path: try Path(path.text ?? ""), keys: .open)) }
    addOnlySets = sets
    flags = (document["flags"]?.members ?? []).map { .init(counter: $0.name, template: $0.value.text ?? "") }
    expected = document["expect"]
    var steps: [Step] = []
    for (index, step) in (document["steps"]?.elements ?? []).enumerated() {
      guard let step = try Scenario.step(step, devices) else {
        throw Scenario.error(name, "step \(index), \(step.line), is not understood")
      }
      steps.append(step)
    }
    self.steps = steps
  }

  private static func step(_ document: Document, _ devices: [String]) throws(TreeError) -> Step? {
    func device(_ name: String) -> Int? { document[name]?.text.flatMap { devices.firstIndex(of: $0) } }
    if let from = device("from"), let to = device("to") { return .exchange(from: from, to: to) }
    guard let writer = device("device"), let time = document["at"]?.integer else { return nil }
    if let ended = device("end") { return .end(device: writer, at: time, ended) }
    guard let writes = document["write"] else { return nil }
    var operations: [Operation] = []
    for write in writes.elements {
      guard let operation = operation(write) else { return nil }
      operations.append(operation)
    }
    if case .bool(true) = document["refused"] { return .write(device: writer, at: time, operations, isRefused: true) }
    return .write(device: writer, at: time, operations, isRefused: false)
  }

  private static func operation(_ document: Document) -> Operation? {
    if let path = document["set"]?.text, let value = document["value"] { return .set(path, value) }
    if let path = document["remove"]?.text { return .remove(path) }
    if let path = document["increment"]?.text, let number = (try? document["by"]?.value())?.scalar {
      return .increment(path, by: number)
    }
    guard let path = document["vote"]?.text, let voter = document["voter"]?.text,
      let choice = document["choice"]?.integer, (-1...1).contains(choice)
    else { return nil }
    return .vote(path, voter: voter, choice: Int(choice))
  }

  private static func error(_ name: String, _ problem: String) -> TreeError {
    TreeError(
      .invalidArgument, "the scenario \"\(name)\": \(problem)",
      advice: "\(Program.name) scenario --help shows the format.")
  }
}

/// Scenarios that did not end as they must.
struct ScenarioMismatch: Error, CustomStringConvertible {
  let count: Int
  let total: Int

  var description: String { "\(count) of \(total) scenarios do not end as they must" }
}
