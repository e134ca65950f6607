import Foundation
import OfflineTree
import Testing

@testable import Replicator

@Suite struct FolderExchangeTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws { (homes, first, second) = try TestHomes.two() }

  @Test func `what one home publishes, another reads`() throws {
    try post("a", 3, on: first)
    #expect(try sync(first, homes.shared).sent == changeCount(first))
    #expect(try sync(second, homes.shared).received == 3)
    try post("b", on: second)
    try sync(second, homes.shared)
    let report = try sync(first, homes.shared)
    #expect(report.received > 0)
    #expect(report.holes.isEmpty && report.refused.isEmpty)
    try expectEqual([first, second])
  }

  @Test func `an idle device writes nothing`() throws {
    let (one, two) = (homes.exchange(first), homes.exchange(second))
    try post("a", on: first)
    for _ in 0..<3 { _ = (one.exchange(), two.exchange()) }
    let before = try files(below: homes.shared).map { FileSystem.look(at: "\(homes.shared)/\($0)")?.stamp }
    for _ in 0..<3 {
      #expect(one.exchange().report.sent == 0)
      #expect(try sync(second, homes.shared).sent == 0)
      #expect(one.isQuiet)
    }
    let after = try files(below: homes.shared).map { FileSystem.look(at: "\(homes.shared)/\($0)")?.stamp }
    #expect(before == after)
  }

  @Test func `names are lower case, ASCII and short, and each home writes into its own folder`() throws {
    try post("a", on: first)
    try sync(first, homes.shared)
    let names = try files(below: homes.shared)
    #expect(names.count == 3, "an acknowledgement and a segment of each log")
    for name in names {
      let parts = name.split(separator: "/")
      #expect(parts.count == 2)
      #expect(parts[0] == hexadecimal(first.homeToken.bytes))
      #expect(parts.allSatisfy { $0.utf8.count < 100 && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } })
      #expect(name == name.lowercased())
    }
  }

  @Test func `changes are passed on by homes that did not make them`() throws {
    let third = try homes.make("third")
    let other = try homes.folder("other")
    try post("a", 5, on: first)
    try sync(first, homes.shared)
    try sync(second, homes.shared)
    try sync(second, other)
    try sync(third, other)
    try expectEqual([first, second, third])
  }

  @Test func `an acknowledgement names what a home has, once`() throws {
    try post("a", on: first)
    try sync(first, homes.shared)
    try sync(second, homes.shared)
    try post("b", on: first)
    try sync(first, homes.shared)
    try sync(second, homes.shared)
    try post("c", on: second)
    try sync(second, homes.shared)
    let acknowledgements = try files(below: homes.shared).filter { $0.hasSuffix(".ack") }
    #expect(acknowledgements.count == 2)
    let exchange = homes.exchange(first)
    let report = exchange.exchange().report
    #expect(report.peers.map(\.identity.deviceKey) == [second.deviceKey])
    let heard = try #require(exchange.index.acknowledgements[second.identity])
    let tip = try #require(try first.ownPosition())
    #expect(heard.clock.positions == [tip], "of others' logs nothing is kept")
    let keys = try known(by: first)
    let said = try files(below: homes.shared).filter { $0.hasSuffix(".ack") }.map {
      try Acknowledgement(opening: try bytes("\(homes.shared)/\($0)"), known: keys)
    }
    #expect(try said.first { $0.peer.homeToken == second.homeToken }?.clock == second.clock())
  }

  @Test func `a home's small files are merged, and nothing is lost`() throws {
    let exchange = homes.exchange(first)
    for number in 0..<60 {
      try post("\(number)", on: first)
      #expect(exchange.exchange().error == nil)
    }
    #expect(try segments(ofLogOf: first, below: homes.shared).count <= 17)
    try sync(second, homes.shared)
    try expectEqual([first, second])
    #expect(try sync(first, homes.shared).sent == 0)
  }

  @Test func `a merge that ended before it deleted is finished by the next`() throws {
    let exchange = homes.exchange(first)
    var small: [String: [UInt8]] = [:]
    for number in 0..<16 {
      try post("\(number)", on: first)
      _ = exchange.exchange()
      for (name, content) in try segments(ofLogOf: first, below: homes.shared) { small[name] = content }
    }
    try post("16", on: first)
    _ = exchange.exchange()
    #expect(try segments(ofLogOf: first, below: homes.shared).count == 1)
    for (name, content) in small { try write(content, "\(homes.shared)/\(name)") }
    #expect(try sync(first, homes.shared).sent == 0)
    #expect(try segments(ofLogOf: first, below: homes.shared).count == 1)
    try sync(second, homes.shared)
    try expectEqual([first, second])
  }

  @Test func `what a process that died was writing goes away after an hour, and what others write stays`() throws {
    try sync(first, homes.shared)
    try sync(second, homes.shared)
    let paths = [first, second].map { "\(homes.shared)/\(hexadecimal($0.homeToken.bytes))/x.seg.0.tmp" }
    for path in paths {
      try write([1], path)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -4_000)], ofItemAtPath: path)
    }
    try write([1], paths[0] + ".tmp")
    try sync(first, homes.shared)
    #expect(FileSystem.look(at: paths[0]) == nil)
    #expect(FileSystem.look(at: paths[0] + ".tmp") != nil)
    #expect(FileSystem.look(at: paths[1]) != nil)
  }

  @Test func `many changes make few files`() throws {
    try post(String(repeating: "x", count: 20_000), 600, on: first)
    try sync(first, homes.shared)
    let files = try segments(ofLogOf: first, below: homes.shared)
    #expect((3...4).contains(files.count))
    #expect(files.allSatisfy { $0.bytes.count <= Segment.targetBytes + 10_000 })
    try sync(second, homes.shared)
    try expectEqual([first, second])
  }

  @Test func `a folder that lost files heals from whoever has them`() throws {
    let third = try homes.make("third")
    try post("a", 10, on: first)
    try sync(first, homes.shared)
    try sync(second, homes.shared)
    for name in try files(below: homes.shared) { try FileSystem.remove("\(homes.shared)/\(name)") }
    try sync(second, homes.shared)
    try sync(third, homes.shared)
    try expectEqual([first, second, third])
    #expect(try sync(first, homes.shared).sent == 0)
  }

  @Test func `what a folder lost is put back once, in whole runs`() throws {
    let exchange = homes.exchange(first)
    for number in 0..<9 {
      try post("\(number)", on: first)
      _ = exchange.exchange()
    }
    let files = try segments(ofLogOf: first, below: homes.shared)
    #expect(files.count == 9)
    try FileSystem.remove("\(homes.shared)/\(files[4].name)")
    let (report, error) = exchange.exchange()
    #expect(error == nil)
    #expect((1...5).contains(report.sent))
    #expect(exchange.exchange().report.sent == 0)
    try sync(second, homes.shared)
    try expectEqual([first, second])
  }

  @Test func `a file that rots is refused by name, put back, and removed by its owner`() throws {
    try post("a", 10, on: first)
    try sync(first, homes.shared)
    var (name, content) = try #require(try segments(ofLogOf: first, below: homes.shared).first)
    content[content.count / 2] ^= 4
    try write(content, "\(homes.shared)/\(name)")
    let refused = try sync(second, homes.shared)
    #expect(refused.received == 0)
    #expect(refused.refused.map(\.name) == [name])
    #expect(refused.refused.first?.error.code == .damaged)
    try sync(first, homes.shared)
    #expect(try sync(second, homes.shared).refused.isEmpty)
    try expectEqual([first, second])
  }

  @Test func `what is in the way of writing does not keep from reading, and is told`() throws {
    try post("a", on: first)
    try sync(first, homes.shared)
    try write([1], "\(homes.shared)/\(hexadecimal(second.homeToken.bytes))")
    let (report, error) = homes.exchange(second).exchange()
    #expect(report.received == 1)
    #expect(error?.code == .inputOutput)
    try expectEqual([first, second])
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `a folder that cannot be written to is still read`() throws {
    try post("a", on: first)
    try sync(first, homes.shared)
    unsafe #expect(chmod(homes.shared, 0o555) == 0)
    defer { unsafe chmod(homes.shared, 0o755) }
    let (report, error) = homes.exchange(second).exchange()
    #expect(report.received == 1)
    #expect(error?.code == .inputOutput)
  }

  @Test func `a folder that is gone is an error that says so`() throws {
    let (_, error) = homes.exchange(first, with: "\(homes.directory)/nowhere").exchange()
    #expect(error?.code == .notFound)
    #expect(error?.context.contains("nowhere") == true)
  }
}
