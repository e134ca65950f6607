import TestSupport
import Testing

@testable import OfflineTree

/// Indexes come and go, and hold what the tree holds, whatever happens in between.
@Suite struct IndexTests {
  private func expectSound(_ space: QuerySpace, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try space.database.verify().problems == [], sourceLocation: sourceLocation)
  }

  private func votes(_ space: QuerySpace) throws -> [String] {
    try space.ref("jokes").queryOrdered(byChild: "votes").keys()
  }

  private func isScan(_ query: DatabaseQuery) throws -> Bool {
    try query.database.view { rows, replica in try query.window(rows, replica)?.isScan } ?? false
  }

  @Test func `the rules name the indexes, and take them away`() throws {
    let rules = #"{"rules": {"jokes": {".indexOn": ["votes", "text"], "$j": {"likes": {".indexOn": ".value"}}}}}"#
    let space = try QuerySpace(rules: rules)
    try space.set("jokes", json: #"{"a": {"votes": 3}, "b": {"votes": 1}, "c": {"likes": {"x": 2, "y": 1}}}"#)
    try space.database.finishIndexes()
    let status = try space.database.indexes()
    #expect(status.map(\.parent) == ["jokes", "jokes", "jokes/*/likes"])
    #expect(status.map(\.child) == ["votes", "text", ".value"])
    #expect(status.allSatisfy { $0.isReady && $0.isFromRules })
    #expect(try votes(space) == ["c", "b", "a"])
    #expect(try !isScan(space.ref("jokes").queryOrdered(byChild: "votes")))
    let likes = space.ref("jokes/c/likes").queryOrderedByValue()
    #expect(try likes.keys() == ["y", "x"])
    #expect(try !isScan(likes))
    try expectSound(space)

    try space.database.setRules(#"{"rules": {"jokes": {".indexOn": "votes"}}}"#)
    try space.database.finishIndexes()
    #expect(try space.database.indexes().map(\.child) == ["votes"])
    #expect(try isScan(likes))
    #expect(try likes.keys() == ["y", "x"])
    try expectSound(space)

    try space.database.setRules(#"{"rules": {}}"#)
    try space.database.finishIndexes()
    #expect(try space.database.indexes() == [])
    #expect(try space.database.read { try $0.rows.isEmpty(.index) })
    #expect(try votes(space) == ["c", "b", "a"])
  }

  @Test func `the background builds without being asked`() async throws {
    let space = try QuerySpace()
    try space.set("jokes", json: #"{"a": {"votes": 3}, "b": {"votes": 1}}"#)
    try space.database.addIndex(at: "jokes", by: "votes")
    while try !space.database.indexes().allSatisfy(\.isReady) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try space.database.indexes().first?.indexedChildren == 2)
    try expectSound(space)
  }

  @Test func `an index of the app stays when the home is opened again, until it is removed`() throws {
    let space = try QuerySpace()
    try space.set("jokes", json: #"{"a": {"votes": 3}, "b": {"votes": 1}}"#)
    try space.database.addIndex(at: "jokes", by: "votes")
    try space.reopen()
    try space.database.addIndex(at: "jokes", by: "votes")
    try space.database.finishIndexes()
    #expect(try space.database.indexes().map(\.isReady) == [true])
    try space.set("jokes/a/votes", json: "0")
    #expect(try votes(space) == ["a", "b"])
    try space.database.removeIndex(at: "jokes", by: "votes")
    #expect(errorCode { try space.database.removeIndex(at: "jokes", by: "votes") } == .notFound)
    try space.database.finishIndexes()
    #expect(try space.database.indexes() == [])
    #expect(try votes(space) == ["a", "b"])
    try expectSound(space)
  }

  @Test func `what is written while an index is built has its row once, also after a crash in between`() throws {
    let space = try QuerySpace()
    var random = SeededRandom(seed: 3)
    let count = 1_000
    try space.database.write { transaction in
      for number in 0..<count {
        try transaction.setValue(["votes": .int(Int64(number % 7))], at: try Path("jokes/\(number)"))
      }
    }
    space.database.indexBuilder.isPaused = true
    try space.database.addIndex(at: "jokes", by: "votes")
    var isMore = true
    var rounds = 0
    while isMore {
      isMore = try space.database.queue.submit { rows, state in
        var steps = 0
        return try state.workOnIndexes(rows) {
          steps += 1
          return steps > 1
        }
      }
      rounds += 1
      let number = Int.random(in: 0..<count, using: &random)
      try space.set("jokes/\(number)/votes", json: "\(number)")
      if rounds.isMultiple(of: 3) { try space.set("jokes/\(Int.random(in: 0..<count, using: &random))", json: "null") }
      if rounds.isMultiple(of: 4) { try space.set("jokes/new\(rounds)", json: #"{"votes": -1}"#) }
      if rounds.isMultiple(of: 5) {
        try space.reopen()
        space.database.indexBuilder.isPaused = true
      }
      try expectSound(space)
    }
    #expect(rounds > 4)
    #expect(try space.database.indexes().map(\.isReady) == [true])
    let children = try space.database.read { try $0.keys(at: try Path("jokes")) }
    #expect(try votes(space).count == children.count)
  }

  @Test func `votes and increments of one write are folded, and the index has their sum`() throws {
    let space = try QuerySpace()
    try space.set("jokes", json: #"{"a": {"votes": 0}, "b": {"votes": 5}, "c": {"votes": 20}}"#)
    try space.database.addIndex(at: "jokes", by: "votes")
    try space.database.finishIndexes()
    try space.database.write { transaction in
      for number in 0..<10 {
        try transaction.vote(try Path("jokes/a/votes"), voter: .of("u\(number)"), choice: 1)
        try transaction.increment(try Path("jokes/b/votes"), by: .int(10))
      }
    }
    #expect(try votes(space) == ["a", "c", "b"])
    try expectSound(space)
  }

  @Test func `strings that begin alike are in order, however long, and so are their pages`() throws {
    let space = try QuerySpace()
    let start = String(repeating: "long ", count: 60)
    let ends = ["c", "a", "", "b", "aa", "\0", "ab"]
    for (number, end) in ends.enumerated() {
      try space.set("texts/\(number)", NewValue(members: [.init(.of("t"), NewValue(Scalar.string(start + end)))]))
    }
    try space.set("texts/short", json: #"{"t": "long"}"#)
    try space.set("texts/zero", json: #"{"t": "zz"}"#)
    try space.database.addIndex(at: "texts", by: "t")
    try space.database.finishIndexes()
    let query = space.ref("texts").queryOrdered(byChild: "t")
    let expected = ["short", "2", "5", "1", "4", "6", "3", "0", "zero"]
    #expect(try query.keys() == expected)
    for limit in 1...9 as ClosedRange<UInt> {
      #expect(try query.queryLimited(toFirst: limit).keys() == Array(expected.prefix(Int(limit))))
      #expect(try query.queryLimited(toLast: limit).keys() == Array(expected.suffix(Int(limit))))
    }
    var page = query.queryLimited(toFirst: 2)
    var seen: [String] = []
    while let last = try Array(page.snapshot().children).last {
      seen += try page.keys()
      page = page.query(after: last)
    }
    #expect(seen == expected)
    let above = space.ref("texts").queryOrdered(byChild: "t").queryStarting(afterValue: start + "a")
    #expect(try above.keys() == ["4", "6", "3", "0", "zero"])
    try expectSound(space)
  }

  @Test func `a write of very many children keeps the index in bounded memory`() throws {
    let space = try QuerySpace()
    try space.database.addIndex(at: "jokes", by: "votes")
    try space.database.finishIndexes()
    let count = IndexSet.touchedLimit + 500
    try space.database.queue.submit { rows, state in
      for number in 0..<count { try state.willChange(PathKey("jokes/\(number)/votes"), rows) }
      #expect(state.indexes.touchedCount == count)
      try state.settleIndexesIfMany(rows)
      #expect(state.indexes.touchedCount == 0)
    }
    try expectSound(space)
  }

  @Test func `verify notices a row that is missing, and rebuildIndexes mends it`() throws {
    let space = try QuerySpace()
    try space.set("jokes", json: #"{"a": {"votes": 3}, "b": {"votes": 1}}"#)
    try space.database.addIndex(at: "jokes", by: "votes")
    try space.database.finishIndexes()
    try space.database.queue.submit { rows, state in
      let number = try #require(state.indexes.definitions.first?.number)
      let key = IndexRow.key(number, PathKey("jokes/a"), .scalar(.int(3)))
      #expect(try PathTable.index.delete(key, in: rows))
    }
    #expect(try space.database.verify().problems.count == 2)
    try space.database.rebuildIndexes()
    try space.database.finishIndexes()
    try expectSound(space)
    try space.set("jokes/a/votes", json: "4")
    #expect(try votes(space) == ["b", "a"])
  }

  @Test func `a row that is missing stops no write, and the index is made anew`() throws {
    let space = try QuerySpace()
    try space.set("jokes", json: #"{"a": {"votes": 3}, "b": {"votes": 1}}"#)
    try space.database.addIndex(at: "jokes", by: "votes")
    try space.database.finishIndexes()
    space.database.indexBuilder.isPaused = true
    try space.database.queue.submit { rows, state in
      let number = try #require(state.indexes.definitions.first?.number)
      let key = IndexRow.key(number, PathKey("jokes/a"), .scalar(.int(3)))
      #expect(try PathTable.index.delete(key, in: rows))
    }
    try space.set("jokes/a/votes", json: "0")
    #expect(try space.database.indexes().map(\.isReady) == [false])
    #expect(try votes(space) == ["a", "b"])
    #expect(try isScan(space.ref("jokes").queryOrdered(byChild: "votes")))
    space.database.indexBuilder.isPaused = false
    try space.database.finishIndexes()
    #expect(try space.database.indexes().map(\.isReady) == [true])
    try expectSound(space)
    #expect(try votes(space) == ["a", "b"])
    #expect(try !isScan(space.ref("jokes").queryOrdered(byChild: "votes")))
  }

  @Test func `who begins with a checkpoint builds the indexes of the rules`() throws {
    let fleet = try Fleet(2, seed: 4)
    try fleet[0].setRules(
      #"{"rules": {".write": true, ".vote": true, ".increment": true, "open": {".indexOn": "votes"}}}"#)
    for number in 0..<20 {
      try fleet[0].write { try $0.setValue(["votes": .int(Int64(20 - number))], at: try Path("open/j\(number)")) }
    }
    let late = try fleet.join(by: fleet.invite)
    try fleet[late].begin(with: try fleet[0].attest(), floors: [])
    try fleet[late].finishIndexes()
    #expect(try fleet[late].indexes().map(\.isReady) == [true])
    #expect(try fleet[late].verify().problems == [])
    let best = fleet[late].reference(withPath: "open").queryOrdered(byChild: "votes").queryLimited(toLast: 1)
    #expect(try best.keys() == ["j0"])
  }

  @Test func `a program without indexes cannot open the home`() throws {
    #expect(Replica.formatVersion > 2)
  }
}
