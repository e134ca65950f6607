import OfflineTree
import TestSupport
import Testing

/// Law 2: an operation removes only what its context had observed.
@Suite struct UnseenTests {
  @Test(arguments: Seeds.scaled(60))
  func `nothing that the writer had not seen is undone`(seed: UInt64) throws {
    let fleet = try Fleet(2, seed: seed)
    for _ in 0..<6 { try fleet.writeRandomly(0) }
    try fleet.meetAll()
    var added: [Path] = []
    for index in 0..<4 {
      let path = PathKey("\(fleet.random.pick(["a", "b", "a/x", "c"]))/new\(index)").path
      try fleet[1].write([.set(path, NewValue(Scalar.int(Int64(index))))])
      added.append(path)
    }
    try fleet[1].write([.increment(PathKey("number").path, .int(1)), .vote(PathKey("count").path, .of("v"), 1)])
    for _ in 0..<6 { try fleet.writeRandomly(0) }
    try fleet[0].write([.remove(.root)])
    try fleet[0].write([.remove(PathKey("a").path), .remove(PathKey("b").path), .remove(PathKey("c").path)])
    try fleet.meetAll()
    for (index, path) in added.enumerated() {
      let value = try fleet[0].read { try $0.value(at: path) }
      #expect(value == .int(Int64(index)), "seed \(seed): \(path)")
    }
    #expect(try fleet[0].read { try $0.choice(of: .of("v"), at: PathKey("count").path) } == 1, "seed \(seed)")
    try fleet.expectConverged()
  }

  @Test(arguments: Seeds.scaled(30))
  func `a clear that saw part of a log's increments leaves the rest`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(3, seed: seed)
    let path = PathKey("n").path
    let count = Int.random(in: 2...40, using: &random)
    let seen = Int.random(in: 0...count, using: &random)
    for index in 0..<count {
      try fleet[1].write([.increment(path, .int(Int64(1 << (index % 40))))])
      if index + 1 == seen { try fleet.send(from: 1, to: 2) }
      if random.chance(20) { try fleet.send(from: 1, to: 0, .random(&random)) }
    }
    try fleet[2].write([.remove(path), .set(PathKey("m").path, NewValue(Scalar.int(1)))])
    let rest = (seen..<count).reduce(Int64(0)) { $0 + 1 << Int64($1 % 40) }
    try fleet.meetAll()
    let value = try fleet[0].read { try $0.value(at: path) }
    #expect(value == (seen == count ? Value.null : .int(rest)), "seed \(seed): \(seen) of \(count) seen")
    try fleet.expectConverged()
  }
}
