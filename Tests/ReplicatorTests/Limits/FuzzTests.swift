import Foundation
import FuzzTargets
import TestSupport
import Testing

/// What libFuzzer drives (`script/fuzz`), without it: the inputs that are kept, and some that grow from them.
@Suite struct FuzzTests {
  /// The inputs that are kept for a target; written first, if OFFLINETREE_RECORD is set.
  private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = Fixtures.folder.appendingPathComponent("fuzz/\(target.name)")
    if Oracle.environment("OFFLINETREE_RECORD") != nil {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for seed in target.seeds() { try Data(seed.bytes).write(to: folder.appendingPathComponent(seed.name)) }
    }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .map { ($0, Array(try Data(contentsOf: folder.appendingPathComponent($0)))) }
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func `inputs that are kept, and what grows from them, are decoded or refused`(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    var random = SeededRandom(seed: 7)
    let inputs = try Self.inputs(of: target)
    try #require(!inputs.isEmpty)
    for input in inputs {
      for round in 0..<40 {
        let bytes = round == 0 ? input.bytes : Self.grown(input.bytes, &random)
        do {
          try target.run(bytes)
        } catch {
          Issue.record("\(input.name), round \(round): \(error.text)")
        }
      }
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func `the inputs that are kept are what is written today`(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let inputs = Dictionary(uniqueKeysWithValues: try Self.inputs(of: target).map { ($0.name, $0.bytes) })
    for seed in target.seeds() {
      let kept = try #require(inputs[seed.name], "\(seed.name)")
      if seed.isRepeatable { #expect(kept == seed.bytes, "\(seed.name)") }
      #expect(kept.count <= target.maximumBytes, "\(seed.name)")
    }
  }

  @Test func `a hello that is kept is still answered`() throws {
    let target = try #require(FuzzTarget.all.first { $0.name == "tls-server" })
    let hello = try #require(try Self.inputs(of: target).first)
    #expect(hello.name == "hello" && FuzzTarget.isAnswered(hello.bytes))
    #expect(!FuzzTarget.isAnswered(hello.bytes.map { $0 == hello.bytes.last ? $0 ^ 1 : $0 }))
  }

  @Test(arguments: [("checkpoint", "plaintext"), ("backup", "file"), ("salvage", "rows")])
  func `what is stored and kept here is still taken`(name: String, input: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let kept = try #require(try Self.inputs(of: target).first { $0.name == input })
    #expect(FuzzTarget.isTaken(kept.bytes, by: target))
    #expect(!FuzzTarget.isTaken(Array(kept.bytes.prefix(1)), by: target))
  }

  /// A few bytes changed, dropped, repeated.
  private static func grown(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let index = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
      case 2: bytes.remove(at: index)
      case 3: bytes.removeLast(bytes.count - index)
      default: bytes.insert(contentsOf: bytes[index...].prefix(16), at: index)
      }
    }
    return bytes
  }
}
