package import OfflineTree

/// A convergence scenario: who does what while apart, who meets whom, what everybody must show. `fixtures/README.md`
/// describes the format.
package struct Scenario: Sendable {
  package enum Write: Sendable {
    case set(Path, JSON)
    case remove(Path)
    case increment(Path, by: Scalar)
    case vote(Path, voter: Key, choice: Int)
  }

  package enum Step: Sendable {
    case write(device: Int, at: Int64, [Write], isRefused: Bool)
    /// The first device ends another's log: what it has not seen of it is void.
    case end(device: Int, at: Int64, Int)
    case exchange(from: Int, to: Int)
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
  }

  package let name: String
  package let devices: [String]
  package let addOnlySets: [Genesis.AddOnlySet]
  package let flags: [Genesis.Flag]
  package let steps: [Step]
  package let expect: JSON?

  package init(_ document: JSON) throws {
    let devices = (document["devices"]?.elements ?? []).compactMap(\.text)
    self.devices = devices
    name = document["name"]?.text ?? ""
    var sets: [Genesis.AddOnlySet] = []
    for set in document["addOnly"]?.elements ?? [] {
      sets.append(Genesis.AddOnlySet(path: try Path(set.text ?? ""), keys: .open))
    }
    addOnlySets = sets
    flags = (document["flags"]?.members ?? []).map { Genesis.Flag(counter: $0.key, template: $0.value.text ?? "") }
    steps = try (document["steps"]?.elements ?? []).map { try Scenario.step($0, devices) }
    expect = document["expect"]
  }

  private static func step(_ document: JSON, _ devices: [String]) throws -> Step {
    func device(_ member: String) throws -> Int {
      let name = document[member]?.text ?? ""
      guard let index = devices.firstIndex(of: name) else { throw Failure("no device \(name) in \(document)") }
      return index
    }
    func time() throws -> Int64 {
      guard let at = document["at"]?.integer else { throw Failure("no time in \(document)") }
      return at
    }
    if document["end"] != nil {
      return .end(device: try device("device"), at: try time(), try device("end"))
    }
    if document["write"] != nil {
      let writes = try (document["write"]?.elements ?? []).map { try write($0) }
      let isRefused = document["refused"] == .scalar(.bool(true))
      return .write(device: try device("device"), at: try time(), writes, isRefused: isRefused)
    }
    return .exchange(from: try device("from"), to: try device("to"))
  }

  private static func write(_ document: JSON) throws -> Write {
    if let path = document["set"]?.text { return .set(try Path(path), document["value"] ?? .null) }
    if let path = document["remove"]?.text { return .remove(try Path(path)) }
    if let path = document["increment"]?.text, case .scalar(let number)? = document["by"] {
      return .increment(try Path(path), by: number)
    }
    if let path = document["vote"]?.text, let voter = document["voter"]?.text, let choice = document["choice"]?.integer
    {
      return .vote(try Path(path), voter: try Key(voter), choice: Int(choice))
    }
    throw Failure("\(document) is no operation")
  }
}
