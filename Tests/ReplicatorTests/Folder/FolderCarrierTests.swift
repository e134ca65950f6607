import Foundation
import OfflineTree
import Testing

@testable import Replicator

/// Homes that each have a copy of the shared folder, and a carrier that brings files late, cut, twice and renamed.
@Suite struct FolderCarrierTests {
  @Test(arguments: 1...6)
  func `a careless carrier delays and never damages`(seed: UInt64) throws {
    var chance = SplitMix(state: seed)
    let homes = try TestHomes()
    let databases = try ["a", "b", "c"].map { try homes.make($0) }
    let roots = try ["fa", "fb", "fc"].map { try homes.folder($0) }
    let exchanges = zip(databases, roots).map { homes.exchange($0, with: $1) }
    for step in 0..<60 {
      let place = Int.random(in: 0..<3, using: &chance)
      switch Int.random(in: 0..<6, using: &chance) {
      case 0, 1:
        guard try !databases[place].clock().positions.isEmpty else { continue }
        try post("\(step)", Int.random(in: 1...3, using: &chance), on: databases[place])
      case 2, 3: #expect(exchanges[place].exchange().error == nil, "seed \(seed), step \(step)")
      case 4: try carry(from: roots[place], to: roots[(place + 1) % 3], &chance)
      default: try carry(from: roots[place], to: roots[(place + 2) % 3], &chance)
      }
    }
    for _ in 0..<4 {
      for place in 0..<3 {
        #expect(exchanges[place].exchange().error == nil)
        for other in 0..<3 where other != place { try carryAll(from: roots[place], to: roots[other]) }
      }
    }
    for exchange in exchanges {
      let report = exchange.exchange().report
      #expect(report.holes.isEmpty, "seed \(seed)")
    }
    try expectEqual(databases)
  }

  private func carry(from: String, to: String, _ chance: inout SplitMix) throws {
    for name in try files(below: from).shuffled(using: &chance).prefix(4) {
      var content = try bytes("\(from)/\(name)")
      var target = name
      switch Int.random(in: 0..<5, using: &chance) {
      case 0: content = Array(content.prefix(Int.random(in: 0...content.count, using: &chance)))
      case 1: target += ".sync-conflict-20261130-052849-XA5MHM6"
      case 2: target = "elsewhere/\(name.split(separator: "/").last ?? "file")"
      default: break
      }
      try put(content, "\(to)/\(target)")
    }
  }

  private func carryAll(from: String, to: String) throws {
    for name in try files(below: from) {
      let content = try bytes("\(from)/\(name)")
      if let there = try? bytes("\(to)/\(name)"), there.count >= content.count { continue }
      try put(content, "\(to)/\(name)")
    }
  }

  private func put(_ content: [UInt8], _ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: FileSystem.parent(of: path), withIntermediateDirectories: true)
    try write(content, path)
  }
}

/// A small random generator whose seed is the test's argument.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
