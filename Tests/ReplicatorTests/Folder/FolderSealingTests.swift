import Foundation
import OfflineTree
import Testing

@testable import Replicator

/// What whoever holds the folder, and no key, can see and do.
@Suite struct FolderSealingTests {
  let (homes, first, second): (TestHomes, Database, Database)
  /// Where the first home publishes, and what the second home sees of it.
  let (written, seen): (String, String)

  init() throws {
    (homes, first, second) = try TestHomes.two()
    written = homes.shared
    seen = try homes.folder("seen")
  }

  private func published() throws -> [(name: String, bytes: [UInt8])] {
    try segments(ofLogOf: first, below: written)
  }

  @Test func `every flipped byte of a segment is refused by name, and the right file is taken when it comes`() throws {
    try post("a small one", on: first)
    try sync(first, written)
    let (name, whole) = try #require(try published().first)
    let exchange = homes.exchange(second, with: seen)
    let before = (try second.clock(), try stateHash(second))
    for index in whole.indices {
      var flipped = whole
      flipped[index] ^= 1 << UInt8(index % 8)
      try deliver(flipped, as: name, in: seen)
      let (report, error) = exchange.exchange()
      #expect(error == nil && report.received == 0)
      #expect(report.refused.map(\.name) + report.locked == [name], "byte \(index)")
      #expect(report.locked.isEmpty || (8..<24).contains(index), "only another epoch's id locks")
      #expect(try second.clock() == before.0 && stateHash(second) == before.1)
    }
    try deliver(whole, as: name, in: seen)
    let report = exchange.exchange().report
    #expect(report.received == 1 && report.refused.isEmpty && report.locked.isEmpty)
    try expectEqual([first, second])
  }

  @Test func `a damaged file of one home does not hold up another's`() throws {
    try post("a", 3, on: first)
    try sync(first, written)
    let third = try homes.make("third")
    try post("b", on: third)
    try sync(third, seen)
    let mine = try published()[0]
    var damaged = mine.bytes
    damaged[damaged.count / 2] ^= 1
    try deliver(damaged, as: mine.name, in: seen)
    let report = try sync(second, seen)
    #expect(report.refused.map(\.name) == [mine.name])
    try expectEqual([second, third])
  }

  @Test func `of two copies of a file the one that is right is read`() throws {
    try post("a", on: first)
    try sync(first, written)
    let whole = try published()[0].bytes
    var damaged = whole
    damaged[damaged.count - 1] ^= 1
    for (copy, bytes) in [("a/copy.seg", damaged), ("b/copy.seg", whole), ("c/copy.seg", damaged)] {
      try deliver(bytes, as: copy, in: seen)
    }
    let report = try sync(second, seen)
    #expect(report.received == 1 && report.refused.map(\.name) == ["a/copy.seg", "c/copy.seg"])
    try expectEqual([first, second])
  }

  @Test func `every cut of a segment is waited for`() throws {
    try post("a", on: first)
    try sync(first, written)
    let (name, whole) = try #require(try published().first)
    let exchange = homes.exchange(second, with: seen)
    for count in whole.indices {
      try deliver(Array(whole[..<count]), as: name, in: seen)
      let report = exchange.exchange().report
      #expect(report.incomplete == 1 && report.received == 0 && report.refused.isEmpty, "\(count) bytes")
    }
    try deliver(whole + [0], as: name, in: seen)
    #expect(exchange.exchange().report.refused.map(\.name) == [name])
    try deliver(whole, as: name, in: seen)
    #expect(exchange.exchange().report.received == 1)
  }

  @Test func `two files that changed places are read, and two that changed contents are refused`() throws {
    let publisher = homes.exchange(first)
    for text in ["a", "b"] {
      try post(text, on: first)
      _ = publisher.exchange()
    }
    let files = try published()
    let (one, two) = (files[0], files[1])
    let exchange = homes.exchange(second, with: seen)
    let before = try second.clock()
    for cut in [64, SealedHeader.end] {
      try deliver(Array(one.bytes[..<cut]) + two.bytes[cut...], as: one.name, in: seen)
      try deliver(Array(two.bytes[..<cut]) + one.bytes[cut...], as: two.name, in: seen)
      let report = exchange.exchange().report
      #expect(report.received == 0)
      // One whose length is another file's may be thought of as not whole yet.
      #expect(report.refused.count + report.incomplete == 2 && !report.refused.isEmpty)
      #expect(Set(report.refused.map(\.name)).isSubset(of: [one.name, two.name]))
      #expect(try second.clock() == before)
    }
    try deliver(one.bytes, as: two.name, in: seen)
    try deliver(two.bytes, as: one.name, in: seen)
    #expect(exchange.exchange().report.received == 2)
    try expectEqual([first, second])
  }

  @Test func `a member's segment in which the log is in another order is refused by name`() throws {
    try post("a", 3, on: first)
    try sync(first, written)
    let file = try published()[0]
    let segment = try SealedSegment(opening: file.bytes, known: try known(by: first))
    var bodies = segment.run.bodies
    bodies.swapAt(1, 2)
    let run = ChangeRun(log: segment.run.log, first: 0, hashBefore: segment.run.hashBefore, bodies: bodies)
    var writer = ByteWriter()
    Segment.encodeBodies(of: run, to: &writer)
    let frame = try Zstd.compress(writer.bytes)
    let sealed = SealedHeader(epoch: segment.header.epoch, segment: segment.header.segment, frameLength: frame.count)
    let keys = try first.epochs().current
    let body = Padding.padded(frame)
    try deliver(SealedSegment.seal(sealed, body, keys, random: TestKeys.random), as: file.name, in: seen)
    let exchange = homes.exchange(second, with: seen)
    let before = try second.clock()
    #expect(exchange.exchange().report.refused.map(\.name) == [file.name])
    #expect(try second.clock() == before)
    try deliver(file.bytes, as: file.name, in: seen)
    #expect(exchange.exchange().report.received == 3)
    try expectEqual([first, second])
  }

  @Test func `a folder tells neither words nor names nor ids`() throws {
    var typed = Array("correct horse battery".utf8)
    let person = try Auth(first, profile: .smallest).createUser(
      withEmail: "emma@example.org", password: try Password(&typed), username: "Emma"
    ).user
    let uid = person.uid.text
    try first.write(as: person.uid) { transaction in
      let joke = try NewValue(
        json: Array(#"{"text":"Why did the penguin cross?","email":"emma@example.org","name":"Emma"}"#.utf8))
      _ = try transaction.push(joke, to: Path("jokes"))
    }
    try sync(first, written)
    try sync(second, written)
    try sync(first, written)
    let texts = ["penguin", "emma@example.org", "Emma", "example", "jokes", "text", "first", "second", "test", uid]
    let invite = try #require(homes.invite)
    let ids =
      [first.spaceID.bytes, first.deviceKey.bytes, second.deviceKey.bytes, invite.publicKey.bytes]
      + (try first.clock().positions.flatMap { [$0.log.bytes, $0.hash.bytes] })
      + [try first.epochs().current.key.copyBytes(), homes.recovery.publicKey.bytes]
    let tokens = [first, second].map(\.homeToken.bytes)
    let needles = texts.map { Array($0.utf8) } + ids + ids.map { Array(hexadecimal($0).utf8) }
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: written) {
      let path = "\(written)/\(name)"
      for needle in needles { #expect(!Array(name.utf8).holds(needle), "\(name)") }
      guard FileSystem.look(at: path)?.kind == .file else { continue }
      let content = try bytes(path)
      for needle in needles + tokens + tokens.map({ Array(hexadecimal($0).utf8) }) {
        #expect(!content.holds(needle), "\(name)")
      }
      count += 1
    }
    #expect(count == 6, "two acknowledgements, a segment of each log, and what each home knows its folder by")
    #expect(Array("what the penguin does".utf8).holds(Array("penguin".utf8)))
  }

  @Test func `other users can read what a home writes, whatever its umask`() throws {
    let mask = umask(0o077)
    defer { umask(mask) }
    try post("a", on: first)
    try sync(first, written)
    for name in try FileManager.default.subpathsOfDirectory(atPath: written) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(written)/\(name)")
      let mode = try #require(attributes[.posixPermissions] as? Int)
      #expect(mode == (attributes[.type] as? FileAttributeType == .typeDirectory ? 0o755 : 0o644), "\(name)")
    }
  }

  @Test func `a pipe, a link and a folder that are called like segments hold up nothing`() throws {
    try post("a", on: first)
    try sync(first, written)
    let (name, whole) = try #require(try published().first)
    func called(_ digit: Character) -> String { String(repeating: digit, count: 32) + ".seg" }
    try FileSystem.makeDirectory("\(seen)/x", mode: 0o755)
    unsafe #expect(mkfifo("\(seen)/x/\(called("a"))", 0o644) == 0)
    unsafe #expect(symlink("\(written)/\(name)", "\(seen)/x/\(called("b"))") == 0)
    unsafe #expect(symlink("/dev/zero", "\(seen)/x/\(called("c"))") == 0)
    try FileSystem.makeDirectory("\(seen)/\(called("d"))", mode: 0o755)
    try FileSystem.makeDirectory("\(seen)/x/\(called("e"))", mode: 0o755)
    let exchange = homes.exchange(second, with: seen)
    #expect(exchange.exchange().report.received == 0)
    try deliver(whole, as: "\(called("d"))/\(called("d"))", in: seen)
    #expect(exchange.exchange().report.received == 1)
    try expectEqual([first, second])
  }

  @Test func `a file that grows and shrinks while it is read is taken when it stands still`() throws {
    try post(String(repeating: "x", count: 3_000), 40, on: first)
    try sync(first, written)
    let (name, whole) = try #require(try published().first)
    try deliver(whole, as: name, in: seen)
    let path = "\(seen)/\(name)"
    let isDone = Monitor(false)
    let thread = Thread {
      var chance = SplitMix(state: 1)
      while !isDone.withLock({ $0 }) {
        let count = Int.random(in: 0...2 * whole.count, using: &chance)
        try? Data(whole.prefix(count) + Array(repeating: 7, count: max(0, count - whole.count)))
          .write(to: URL(fileURLWithPath: path))
      }
      isDone.withLock { $0 = false }
    }
    thread.start()
    let exchange = homes.exchange(second, with: seen)
    for _ in 0..<50 {
      let (report, error) = exchange.exchange()
      #expect(error == nil)
      // Whole for a moment is whole: nothing else may have been applied.
      #expect(report.received == 0 || report.received == 40)
    }
    isDone.withLock { $0 = true }
    while isDone.withLock({ $0 }) { usleep(1_000) }
    try deliver(whole, as: name, in: seen)
    _ = exchange.exchange()
    try expectEqual([first, second])
  }
}

extension [UInt8] {
  /// Is `part` somewhere in these bytes?
  fileprivate func holds(_ part: [UInt8]) -> Bool {
    guard count >= part.count else { return false }
    return (0...count - part.count).contains { self[$0..<$0 + part.count].elementsEqual(part) }
  }
}
