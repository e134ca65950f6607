import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// What carriers of files do to a folder (docs/museum.md).
@Suite struct FolderMuseumTests {
  let (homes, first, second): (TestHomes, Database, Database)
  /// Where the first home publishes, and what the second sees of it.
  let (written, seen): (String, String)

  init() throws {
    (homes, first, second) = try TestHomes.two()
    written = homes.shared
    seen = try homes.folder("seen")
    try Museum.increment(3, on: first)
    try sync(first, written)
  }

  private func published() throws -> [(name: String, bytes: [UInt8])] {
    try files(below: written).map { ($0, try bytes("\(written)/\($0)")) }
  }

  private func carry(_ change: (String, [UInt8]) -> [(String, [UInt8])] = { [($0, $1)] }) throws {
    for (name, content) in try published() {
      for (name, content) in change(name, content) { try deliver(content, as: name, in: seen) }
    }
  }

  @Test func `a file that a full disk left short never wins over the whole one`() throws {
    try carry()
    try sync(second, seen)
    try carry { [($0, Array($1.prefix($1.count / 2)))] }
    let report = try sync(second, seen)
    #expect(report.received == 0 && report.refused.isEmpty)
    #expect(try Museum.count(of: second) == .int(3))
    // Nor for who comes later: the second has put whole files beside it.
    let third = try homes.join("third")
    try sync(third, seen)
    #expect(try Museum.count(of: third) == .int(3))
  }

  @Test func `a download that is not finished is no change`() throws {
    try carry { [($0, Array($1.prefix(200)) + [UInt8](repeating: 0, count: max(0, $1.count - 200)))] }
    let before = try stateHash(second)
    #expect(try sync(second, seen).received == 0)
    #expect(try stateHash(second) == before)
    try carry()
    #expect(try sync(second, seen).received == 3)
    #expect(try Museum.count(of: second) == .int(3))
  }

  @Test func `a file that is still being written is not taken, and does no harm`() throws {
    for part in [0, 10, 63, 64, 300, 399, 400, 450] {
      try carry { [("\($0).tmp", Array($1.prefix(part))), ($0, Array($1.prefix(part)))] }
      let report = try sync(second, seen)
      #expect(report.received == 0 && report.refused.isEmpty, "\(part) bytes")
    }
    try carry()
    try sync(second, seen)
    try expectEqual([first, second])
  }

  @Test func `no two names of a folder differ only in case`() throws {
    try sync(second, written)
    for number in 0..<40 {
      try Museum.increment(on: number.isMultiple(of: 2) ? first : second)
      try sync(number.isMultiple(of: 2) ? first : second, written)
    }
    let names = try files(below: written)
    #expect(names.count > 2)
    #expect(names.allSatisfy { $0 == $0.lowercased() })
    // Keys of the tree differ in case all the same, since they are no names of files.
    try first.write { transaction in
      try transaction.setValue(NewValue(Scalar.int(1)), at: Path("keys/Ab"))
      try transaction.setValue(NewValue(Scalar.int(2)), at: Path("keys/aB"))
    }
    #expect(try Museum.json("keys", of: first) == #"{"Ab":1,"aB":2}"#)
  }

  @Test func `composed and decomposed names are two keys of the tree, and none is a name of a file`() throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    try Museum.set("drinks/\(composed)", .int(1), on: first)
    try Museum.set("drinks/\(decomposed)", .int(2), on: first)
    try sync(first, written)
    try sync(second, written)
    try expectEqual([first, second])
    #expect(try second.read { try $0.keys(at: Path("drinks")).count } == 2)
    #expect(try Museum.scalar("drinks/\(composed)", of: second) == .int(1))
    #expect(try Museum.scalar("drinks/\(decomposed)", of: second) == .int(2))
    #expect(try files(below: written).allSatisfy { $0.utf8.allSatisfy { $0 < 128 } })
  }

  @Test func `a placeholder in place of a file is neither an absence nor a reason to write over it`() throws {
    try carry()
    try sync(second, seen)
    let own = try files(below: seen).filter { $0.hasPrefix(hexadecimal(second.homeToken.bytes)) }
    let placeholders = try files(below: seen).filter { !own.contains($0) }
    #expect(!placeholders.isEmpty)
    for name in placeholders { try deliver([], as: name, in: seen) }
    let state = try stateHash(second)
    for _ in 0..<2 { try sync(second, seen) }
    #expect(try stateHash(second) == state)
    for name in placeholders { #expect(try bytes("\(seen)/\(name)").isEmpty, "\(name) was written over") }
  }

  @Test func `an empty listing deletes nothing, and the folder heals`() throws {
    try sync(second, written)
    for name in try FileManager.default.contentsOfDirectory(atPath: written) {
      try FileManager.default.removeItem(atPath: "\(written)/\(name)")
    }
    for database in [first, second] {
      let report = try sync(database, written)
      #expect(report.received == 0 && report.refused.isEmpty)
      #expect(try Museum.count(of: database) == .int(3))
    }
    let third = try homes.join("third")
    try sync(third, written)
    #expect(try Museum.count(of: third) == .int(3))
  }

  @Test func `lock files that somebody left stop nobody`() throws {
    let folder = hexadecimal(first.homeToken.bytes)
    for name in ["lock", ".lock", "sync.lock", "\(folder)/lock", "\(folder)/lock.json"] {
      try deliver(Array("held by a machine that is gone".utf8), as: name, in: written)
    }
    // And the home's own lock, which a process had that died: the file stays, the lock went with the process.
    try write([], "\(second.home)/publisher.lock")
    let report = try sync(second, written)
    #expect(report.received == 3 && report.refused.isEmpty)
    try Museum.increment(on: second)
    try sync(second, written)
    try sync(first, written)
    #expect(try Museum.count(of: first) == .int(4))
  }

  @Test func `conflict copies of one file are read like it, and make no more files`() throws {
    try carry { name, content in
      let stem = name.dropLast(4)
      return [
        (name, content), ("\(stem).sync-conflict-20261130-101112-ABCDEFG.seg", content),
        ("\(stem) (conflicted copy).seg", content),
      ]
    }
    try sync(second, seen)
    try Museum.increment(on: second)
    try sync(second, seen)
    let names = try files(below: seen)
    for _ in 0..<5 { #expect(try sync(second, seen).sent == 0) }
    #expect(try files(below: seen) == names)
    #expect(try Museum.count(of: second) == .int(4))
  }

  @Test func `many small changes are few files`() throws {
    let exchange = homes.exchange(first)
    for _ in 0..<300 {
      try Museum.increment(on: first)
      #expect(exchange.exchange().error == nil)
    }
    #expect(try files(below: written).count < 60)
    try sync(second, written)
    #expect(try Museum.count(of: second) == .int(303))
  }

  @Test func `what is tidied up at the start takes nothing that somebody still needs`() throws {
    // The second sees a change whose past has not come, and is opened anew before it does.
    for _ in 0..<3 {
      try Museum.increment(on: first)
      try sync(first, written)
    }
    let all = try published()
    let last = try #require(try segments(ofLogOf: first, below: written).last)
    try deliver(last.bytes, as: last.name, in: seen)
    let path = second.home
    #expect(try sync(second, seen).holes.count == 1)
    second.close()
    let again = try homes.open(path)
    #expect(try sync(again, seen).holes.count == 1)
    #expect(try bytes("\(seen)/\(last.name)") == last.bytes)
    for (name, content) in all where name != last.name { try deliver(content, as: name, in: seen) }
    try sync(again, seen)
    #expect(try Museum.count(of: again) == .int(6))
    for (name, content) in all { #expect(try bytes("\(seen)/\(name)") == content) }
  }
}
