import Foundation
import OfflineTree
import Testing

@testable import Replicator

@Suite struct FolderToleranceTests {
  let (homes, first, second): (TestHomes, Database, Database)
  /// Where the first home publishes, and what the second home sees of it.
  let (written, seen): (String, String)

  init() throws {
    (homes, first, second) = try TestHomes.two()
    written = homes.shared
    seen = try homes.folder("seen")
    let exchange = homes.exchange(first)
    for number in 0..<4 {
      try post("\(number)", 3, on: first)
      _ = exchange.exchange()
    }
  }

  /// The segments of the first home, in the order of its log.
  private func published() throws -> [(name: String, bytes: [UInt8])] {
    try segments(ofLogOf: first, below: written)
  }

  @Test(arguments: [0, 1, 3, 4, 63, 64, 100, 399, 400, 401, 450])
  func `a file that arrives cut is taken when it is whole`(count: Int) throws {
    let all = try published()
    for (name, bytes) in all { try deliver(Array(bytes.prefix(count)), as: name, in: seen) }
    let exchange = homes.exchange(second, with: seen)
    let report = exchange.exchange().report
    #expect(report.received == 0)
    #expect(report.incomplete == all.count)
    for (name, bytes) in all { try deliver(bytes, as: name, in: seen) }
    #expect(exchange.exchange().report.received == 12)
    try expectEqual([first, second])
  }

  @Test(arguments: [0, 3, 64, 200, 400, 420])
  func `a file that is long already and still holds zeros is taken when it is there`(zerosFrom: Int) throws {
    let all = try published()
    for (name, bytes) in all {
      try deliver(
        Array(bytes.prefix(zerosFrom)) + Array(repeating: 0, count: bytes.count - zerosFrom), as: name, in: seen)
    }
    let exchange = homes.exchange(second, with: seen)
    #expect(exchange.exchange().report.received == 0)
    for (name, bytes) in all { try deliver(bytes, as: name, in: seen) }
    #expect(exchange.exchange().report.received == 12)
    try expectEqual([first, second])
  }

  @Test func `files that arrive in any order are taken when they fit`() throws {
    let exchange = homes.exchange(second, with: seen)
    for (name, bytes) in try published().reversed() {
      try deliver(bytes, as: name, in: seen)
      #expect(exchange.exchange().error == nil)
    }
    try expectEqual([first, second])
  }

  @Test func `a missing file is a hole that is named, until it comes`() throws {
    let all = try published()
    for (name, bytes) in all where name != all[2].name { try deliver(bytes, as: name, in: seen) }
    let exchange = homes.exchange(second, with: seen)
    let missing = try header(all[2].bytes, first)
    for _ in 0..<2 {
      let hole = try #require(exchange.exchange().report.holes.first)
      #expect((hole.log, hole.first, hole.last) == (missing.log, missing.first, missing.last))
      #expect(hole.since > 0)
    }
    try deliver(all[2].bytes, as: all[2].name, in: seen)
    #expect(exchange.exchange().report.holes.isEmpty)
    try expectEqual([first, second])
  }

  @Test func `what waits is not read again before something is new`() throws {
    let third = try homes.join("third")
    try give(first, to: third)
    try sync(third, try homes.folder("other"))
    // It has seen what the first home published, which does not come.
    let file = try #require(try segments(ofLogOf: third, below: "\(homes.directory)/other").first)
    try deliver(file.bytes, as: file.name, in: seen)
    let exchange = homes.exchange(second, with: seen)
    let hole = try #require(exchange.exchange().report.holes.first)
    try spoilUnnoticed("\(seen)/\(file.name)")
    for _ in 0..<3 {
      let report = exchange.exchange().report
      #expect(report.holes == [hole] && report.refused.isEmpty)
    }
    try post("a", on: second)
    #expect(exchange.exchange().report.refused.map(\.name) == [file.name], "then it is read, and found out")
  }

  /// Changes a byte of a file so that only who reads it can tell.
  private func spoilUnnoticed(_ path: String) throws {
    var status = stat()
    unsafe #expect(lstat(path, &status) == 0)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(status.st_size) - 1)
    try file.write(contentsOf: [0x55 ^ (try bytes(path).last ?? 0)])
    try file.close()
    unsafe #expect(utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) == 0)
  }

  @Test func `a file that is missing later deletes nothing`() throws {
    for (name, bytes) in try published() { try deliver(bytes, as: name, in: seen) }
    let exchange = homes.exchange(second, with: seen)
    _ = exchange.exchange()
    for name in try files(below: seen) { try FileSystem.remove("\(seen)/\(name)") }
    let report = exchange.exchange().report
    #expect(report.holes.isEmpty)
    #expect(try report.sent == changeCount(second))
    try expectEqual([first, second])
  }

  @Test(arguments: [
    "%/%.sync-conflict-20261130-052849-XA5MHM6.seg", "%/% (conflicted copy).seg", "%/renamed", "moved/%.seg",
    "%.seg", "%/upper.SEG",
  ])
  func `a file is what its first bytes say, whatever it is called`(pattern: String) throws {
    for (number, file) in try published().enumerated() {
      try deliver(file.bytes, as: pattern.replacingOccurrences(of: "%", with: "n\(number)"), in: seen)
    }
    #expect(try sync(second, seen).received == 12)
    try expectEqual([first, second])
  }

  @Test func `copies of a file change nothing`() throws {
    for (name, bytes) in try published() {
      for copy in 0..<5 { try deliver(bytes, as: "copy\(copy)-\(name)", in: seen) }
    }
    let report = try sync(second, seen)
    #expect(report.received == 12)
    #expect(report.refused.isEmpty)
    try expectEqual([first, second])
  }

  @Test func `what is not ours is left alone and counted`() throws {
    for (name, bytes) in try published() { try deliver(bytes, as: name, in: seen) }
    let stranger = try Database.create(
      at: "\(homes.directory)/stranger", space: "other", recovery: RecoveryCode(), deviceName: "stranger")
    defer { stranger.close() }
    try sync(stranger, seen)
    try deliver(Array("holiday".utf8), as: "photos/holiday.jpg", in: seen)
    try deliver(Array("OTSX".utf8), as: "photos/nearly.seg", in: seen)
    try deliver(Array("OTSX".utf8), as: "photos/\(String(repeating: "A", count: 32)).seg", in: seen)
    try deliver(Array(repeating: 0xFF, count: 5_000), as: "noise", in: seen)
    let report = try sync(second, seen)
    #expect(report.received == 12)
    #expect(report.foreign == 4)
    #expect(report.locked.count == 2)
    #expect(report.locked.allSatisfy { $0.hasPrefix(hexadecimal(stranger.homeToken.bytes)) })
    #expect(report.notes.contains { $0.contains("2 files") && $0.contains(report.locked[0]) && $0.contains("key") })
    #expect(report.refused.isEmpty && report.holes.isEmpty)
    #expect(try files(below: seen).contains("photos/holiday.jpg"))
    try expectEqual([first, second])
  }

  @Test func `links and pipes are neither followed nor waited for`() throws {
    let all = try published()
    try FileSystem.makeDirectory("\(seen)/links", mode: 0o755)
    for (number, file) in all.enumerated() {
      unsafe #expect(symlink("\(written)/\(file.name)", "\(seen)/links/\(number).seg") == 0)
    }
    unsafe #expect(symlink(written, "\(seen)/folder") == 0)
    unsafe #expect(mkfifo("\(seen)/links/pipe.seg", 0o644) == 0)
    unsafe #expect(mkfifo("\(seen)/pipe.seg", 0o644) == 0)
    let report = try sync(second, seen)
    #expect(report.received == 0)
    #expect(report.refused.isEmpty)
  }

  @Test func `a newer version's file is refused with the way out, and the rest goes on`() throws {
    let all = try published()
    for (name, bytes) in all { try deliver(bytes, as: name, in: seen) }
    var newer = all[3].bytes
    newer[4] = 2
    try deliver(newer, as: "newer/file.seg", in: seen)
    let report = try sync(second, seen)
    #expect(report.received == 12)
    #expect(report.refused.map(\.error.code) == [.unsupportedVersion])
    #expect(report.refused.first?.error.advice.isEmpty == false)
  }

  @Test func `a file that is not sealed is refused by name, and the rest goes on`() throws {
    for (name, bytes) in try published() { try deliver(bytes, as: name, in: seen) }
    let whole = try known(by: first)
    let run = try SealedSegment(opening: try published()[0].bytes, known: whole).run
    try deliver(try Segment.encode(run, space: first.spaceID), as: "plain/file.seg", in: seen)
    let report = try sync(second, seen)
    #expect(report.received == 12)
    #expect(report.refused.map(\.name) == ["plain/file.seg"])
    #expect(report.refused.first?.error.context.contains("not sealed") == true)
    #expect(report.refused.first?.error.advice.isEmpty == false)
    try expectEqual([first, second])
  }

  @Test func `every cut and every flipped bit of an acknowledgement is refused`() throws {
    let name = try #require(try files(below: written).first { $0.hasSuffix(".ack") })
    let (whole, keys) = (try bytes("\(written)/\(name)"), try known(by: first))
    for count in whole.indices {
      #expect(throws: TreeError.self) { try Acknowledgement(opening: Array(whole[..<count]), known: keys) }
    }
    #expect(throws: TreeError.self) { try Acknowledgement(opening: whole + [0], known: keys) }
    for index in whole.indices {
      for bit in 0..<8 {
        var flipped = whole
        flipped[index] ^= 1 << UInt8(bit)
        #expect(throws: TreeError.self) { try Acknowledgement(opening: flipped, known: keys) }
      }
    }
    #expect(try Acknowledgement(opening: whole, known: keys).clock == first.clock())
  }

  @Test func `a damaged acknowledgement is refused by name until its home writes a new one`() throws {
    let name = try #require(try files(below: written).first { $0.hasSuffix(".ack") })
    var damaged = try bytes("\(written)/\(name)")
    damaged[damaged.count - 1] ^= 1
    try write(damaged, "\(written)/\(name)")
    #expect(try sync(second, written).refused.map(\.name) == [name])
    try sync(first, written)
    let report = try sync(second, written)
    #expect(report.refused.isEmpty)
    #expect(report.peers.map(\.identity.deviceKey) == [first.deviceKey])
  }
}
