import OfflineTree

@testable import Replicator

/// Chunks of a fake replica: a form's hash is its id.
struct FakeFiles {
  private(set) var forms: [Bytes32: [UInt8]] = [:]
  /// What is wanted, in order.
  var wishes: [Bytes32] = []

  mutating func add(_ form: [UInt8]) -> Bytes32 {
    let id = Sodium.hash32(form)
    forms[id] = form
    return id
  }

  /// Answers with that form whoever asks for the id.
  mutating func lie(_ id: Bytes32, _ form: [UInt8]) { forms[id] = form }

  func wanted(_ limit: Int, without absent: Set<Bytes32>) -> [Bytes32] {
    Array(wishes.filter { forms[$0] == nil && !absent.contains($0) }.prefix(limit))
  }

  mutating func keep(_ answers: [ChunkAnswer]) -> SessionAnswer {
    var refused: [Bytes32: TreeError] = [:]
    for answer in answers {
      guard let form = answer.form else { continue }
      if Sodium.hash32(form) == answer.id {
        forms[answer.id] = form
      } else {
        refused[answer.id] = TreeError(.damaged, "a chunk of a file is not what its name says")
      }
    }
    return .keptChunks(answers.count { $0.form != nil } - refused.count, refused: refused)
  }
}
