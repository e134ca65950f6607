import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Devices that were away, queues that grew, reads that lied (docs/museum.md).
@Suite struct HistoryMuseumTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws {
    (homes, first, second) = try TestHomes.two()
    try Museum.set("list/gone", .string("x"), on: first)
    try Museum.set("list/kept", .string("y"), on: first)
    try homes.settle(first, second)
  }

  @Test func `what was deleted does not come back with a device that was away`() throws {
    try Museum.set("list/gone", nil, on: first)
    for _ in 0..<20 { try Museum.increment(on: first) }
    try sync(first, homes.shared)
    // The second was away all that time, and wrote.
    try Museum.set("list/mine", .string("z"), on: second)
    try homes.settle(second, first)
    for database in [first, second] {
      #expect(try Museum.json("list", of: database) == #"{"kept":"y","mine":"z"}"#)
    }
  }

  @Test func `a hole is named until it is filled, whatever others say that they have`() throws {
    let seen = try homes.folder("seen")
    for _ in 0..<3 {
      try Museum.increment(on: first)
      try sync(first, homes.shared)
    }
    let all = try files(below: homes.shared).map { ($0, try bytes("\(homes.shared)/\($0)")) }
    let missing = try segments(ofLogOf: first, below: homes.shared)
    try #require(missing.count >= 2)
    let hole = missing[missing.count - 2].name
    // The acknowledgement says that the first has everything.
    for (name, content) in all where name != hole { try deliver(content, as: name, in: seen) }
    for _ in 0..<3 { #expect(try sync(second, seen).holes.count == 1) }
    #expect(try second.clock() != first.clock())
    for (name, content) in all where name == hole { try deliver(content, as: name, in: seen) }
    #expect(try sync(second, seen).holes.isEmpty)
    #expect(try Museum.count(of: second) == .int(3))
  }

  @Test func `a device that joins takes nothing from anybody`() throws {
    try Museum.increment(4, on: first)
    try Museum.increment(5, on: second)
    let before = try Museum.json("list", of: first)
    let third = try homes.join("third")
    try sync(third, homes.shared)
    try Museum.set("list/third", .string("w"), on: third)
    try homes.settle(third, first, second)
    for database in [first, second, third] {
      #expect(try Museum.count(of: database) == .int(9))
      #expect(try Museum.json("list", of: database) == before.dropLast() + #","third":"w"}"#)
    }
  }

  @Test func `two increments that were made offline are two`() throws {
    try Museum.increment(on: first)
    try Museum.increment(on: second)
    try homes.settle(first, second)
    for database in [first, second] { #expect(try Museum.count(of: database) == .int(2)) }
  }

  @Test func `a long queue of pending changes is part of the tree, and keeps nobody from starting`() throws {
    let many = 3_000
    let path = second.home
    let token = second.homeToken
    try second.write { transaction in
      for number in 0..<many { try transaction.setValue(NewValue(Scalar.int(1)), at: Path("many/\(number)")) }
    }
    try Museum.increment(500, on: second)
    second.close()
    let again = try homes.open(path)
    #expect(again.homeToken == token)
    // Opening reads a row a log, and none a change.
    #expect(try again.read { try $0.logs().count } <= 3)
    #expect(try Museum.count(of: again) == .int(500))
    try Museum.increment(on: again)
    try homes.settle(again, first)
    #expect(try Museum.count(of: first) == .int(501))
    #expect(try first.read { try $0.keys(at: Path("many")).count } == many)
  }

  @Test func `a read shows what was committed last, through every handle and after opening again`() async throws {
    let handle = try homes.open(second.home)
    var values = handle.values(at: try Path("title")).makeAsyncIterator()
    #expect(try await values.next() == .null)
    for round in 1...5 {
      try Museum.set("title", .int(Int64(round)), on: first)
      try sync(first, homes.shared)
      try sync(second, homes.shared)
      #expect(try Museum.scalar("title", of: second) == .int(Int64(round)))
      #expect(try Museum.scalar("title", of: handle) == .int(Int64(round)))
      #expect(try await values.next() == .int(Int64(round)))
    }
    let path = second.home
    second.close()
    handle.close()
    let again = try homes.open(path)
    #expect(try Museum.scalar("title", of: again) == .int(5))
    var anew = again.values(at: try Path("title")).makeAsyncIterator()
    #expect(try await anew.next() == .int(5))
  }
}
