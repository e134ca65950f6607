import TestSupport
import Testing

@testable import OfflineTree

/// What snapshots say, of copies and of commits that are held on to.
@Suite struct SnapshotTests {
  private func text(_ value: Any?) -> String {
    switch value {
    case let value as [Any?]: "[" + value.map(text).joined(separator: ",") + "]"
    case let value as [String: Any]:
      "{" + value.sorted { $0.key < $1.key }.map { "\($0.key):\(text($0.value))" }.joined(separator: ",") + "}"
    case let value?: "\(value)"
    case nil: "nil"
    }
  }

  /// Enough beside the node to make its parent's snapshot one that holds on to its commit.
  private func fill(_ space: QuerySpace) throws {
    try space.database.write { transaction in
      for number in 0..<400 {
        try transaction.setValue(
          ["text": .string(String(repeating: "x", count: 60)), "n": .int(Int64(number))],
          at: try Path("t/big/\(number)"))
      }
    }
  }

  @Test(arguments: [
    (#"{"1":"a"}"#, "[nil,a]"), (#"{"2":1,"3":1,"4":1}"#, "[nil,nil,1,1,1]"), (#"{"3024":5}"#, "{3024:5}"),
    (#"{"1":1,"01":2}"#, "{01:2,1:1}"), (#"{"123456789012345":1}"#, "{123456789012345:1}"), (#"["a","b"]"#, "[a,b]"),
    (#"{"0":{"0":1},"1":{"7":1}}"#, "[[1],{7:1}]"), (#"{"0":1,"a":2}"#, "{0:1,a:2}"), (#"{"-1":1}"#, "{-1:1}"),
    ("3.0", "3"), ("3.5", "3.5"), ("true", "true"), (#""s""#, "s"), ("9007199254740993", "9007199254740993"),
    ("null", "nil"), (#"{"2147483647":1}"#, "{2147483647:1}"), (#"{"0":1,"2":1,"3":1}"#, "[1,nil,1,1]"),
    (#"{"0":1,"4":1}"#, "{0:1,4:1}"),
  ])
  func `objects are arrays where most places are taken`(_ json: String, _ expected: String) throws {
    let space = try QuerySpace()
    try space.set("t/v", json: json)
    let snapshot = try space.ref("t/v").snapshot()
    #expect(text(try snapshot.value) == expected)
    try fill(space)
    let large = try space.ref("t").snapshot()
    #expect(large.source is SnapshotReader)
    #expect(text(try large.childSnapshot(forPath: "v").value) == expected)
  }

  @Test func `whole doubles are Ints, and arrays without gaps hold no optionals`() throws {
    let space = try QuerySpace()
    try space.set("v", json: #"[3.0, 4]"#)
    #expect(try space.ref("v").snapshot().value as? [Int] == [3, 4])
    try space.set("v", json: #"{"a": true, "b": 1}"#)
    let value = try #require(try space.ref("v").snapshot().value as? [String: Any])
    #expect(value["a"] as? Bool == true)
    #expect(value["b"] as? Int == 1)
  }

  @Test(arguments: [false, true])
  func `the export format has priorities and no arrays`(isLarge: Bool) throws {
    let space = try QuerySpace()
    if isLarge { try fill(space) }
    try space.set(
      "t/v", json: #"{".priority": 7, "0": {".value": "a", ".priority": "p"}, "1": {"x": 1, ".priority": 1.5}}"#)
    let snapshot = try space.ref("t").snapshot().childSnapshot(forPath: "v")
    #expect(
      text(try snapshot.valueInExportFormat())
        == "{.priority:7,0:{.priority:p,.value:a},1:{.priority:1.5,x:1}}")
    #expect(try snapshot.priority as? Int == 7)
    #expect(try snapshot.childSnapshot(forPath: "1").priority as? Double == 1.5)
    #expect(try snapshot.childSnapshot(forPath: "1/x").priority == nil)
    #expect(try snapshot.childSnapshot(forPath: "none").valueInExportFormat() == nil)
  }

  @Test(arguments: [false, true])
  func `children come in the order of priorities, and tell what they are`(isLarge: Bool) throws {
    let space = try QuerySpace()
    if isLarge { try fill(space) }
    try space.set("t/v", json: #"{"b": 1, "a": {".value": 2, ".priority": 1}, "c": {"d": {"e": 3}}}"#)
    let snapshot = try space.ref("t").snapshot().childSnapshot(forPath: "v")
    #expect(try snapshot.children.map(\.key) == ["b", "c", "a"])
    #expect(try snapshot.childrenCount == 3)
    #expect(try snapshot.hasChildren())
    #expect(try snapshot.hasChild("c/d/e"))
    #expect(try !snapshot.hasChild("c/d/f"))
    #expect(try !snapshot.childSnapshot(forPath: "a").hasChildren())
    #expect(try !snapshot.childSnapshot(forPath: "none").exists())
    #expect(snapshot.key == "v")
    #expect(try snapshot.childSnapshot(forPath: "c/d").ref == space.ref("t/v/c/d"))
    #expect(try snapshot.childSnapshot(forPath: "c").get() == ["d": ["e": 3]])
    #expect(errorCode { try snapshot.childSnapshot(forPath: "a.b") } == .invalidArgument)
  }

  @Test func `the children of a large node come in pages, each once`() throws {
    let space = try QuerySpace()
    try fill(space)
    let snapshot = try space.ref("t/big").snapshot()
    #expect(snapshot.source is SnapshotReader)
    #expect(try snapshot.children.map(\.key) == (0..<400).map(String.init))
    #expect(try snapshot.childrenCount == 400)
    #expect(try snapshot.children.prefix(3).map { try $0.childSnapshot(forPath: "n").value as? Int } == [0, 1, 2])
  }

  @Test func `a query's answer holds only what it found`() throws {
    let space = try QuerySpace()
    try space.set("q", json: #"{"a": {"n": 3}, "b": {"n": 1}, "c": {"n": 2}}"#)
    let snapshot = try space.ref("q").queryOrdered(byChild: "n").queryLimited(toFirst: 2).snapshot()
    #expect(try snapshot.get() == ["b": ["n": 1], "c": ["n": 2]])
    #expect(try snapshot.children.map(\.key) == ["b", "c"])
    #expect(try snapshot.hasChild("b/n"))
    #expect(try !snapshot.hasChild("a"))
    #expect(try !snapshot.childSnapshot(forPath: "a/n").exists())
    try space.set("q", json: #"{"0": 5, "1": 4, "9": 1}"#)
    let first = try space.ref("q").queryOrderedByKey().queryLimited(toFirst: 2).snapshot()
    #expect(try first.value as? [Int] == [5, 4])
  }

  @Test func `a large snapshot stays what it was while the tree changes and the map grows`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.openStore(mapSize: 1 << 20)
    try store.write { rows in try rows.put(.meta, [1], [7]) }
    let reader = try store.pin()
    for round in 0..<40 {
      try store.write { rows in
        for number in 0..<50 {
          try rows.put(.meta, numberKey(round * 50 + number), [UInt8](repeating: 1, count: 2_000))
        }
        try rows.put(.meta, [1], [UInt8(round)])
      }
      #expect(try reader.read { rows in try rows.get(.meta, [1]) } == [7])
      #expect(try reader.read { rows in try rows.count(.meta) } == 1)
    }
    #expect(store.mapSize > 1 << 20)
    #expect(try store.read { rows in try rows.get(.meta, [1]) } == [39])
  }

  @Test func `a snapshot ends once too much was freed behind it, and says so`() throws {
    let space = try QuerySpace()
    try fill(space)
    space.database.snapshotLimit = 4 << 20
    let snapshot = try space.ref("t/big").snapshot()
    let children = try snapshot.children
    for round in 0..<400 as Range<Int64> {
      try space.set("t/big/\(round)/n", NewValue(Scalar.int(-round)))
      try space.database.store.endOldReaders()
      if round == 0 { #expect(try snapshot.childSnapshot(forPath: "0/n").value as? Int == 0) }
    }
    #expect(errorCode { try snapshot.value } == .unavailable)
    #expect(errorCode { try snapshot.exists() } == .unavailable)
    #expect(errorCode { try snapshot.childrenCount } == .unavailable)
    #expect(errorCode { try snapshot.children } == .unavailable)
    // A sequence that was begun says it with its last element.
    let rest = Array(children)
    #expect(rest.count == SnapshotChildren.pageCount + 1)
    #expect(rest.last?.key == "")
    #expect(errorCode { try rest.last?.value } == .unavailable)
    #expect(try space.ref("t/big/1/n").snapshot().value as? Int == -1)
    #expect(try space.ref("t/big").snapshot().childSnapshot(forPath: "2/n").value as? Int == -2)
  }

  @Test func `of very many views the oldest gives way`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.openStore()
    try store.write { rows in try rows.put(.meta, [1], [7]) }
    let readers = try (0...PinnedReaders.countLimit).map { _ in try store.pin() }
    #expect(errorCode { try readers[0].read { rows in try rows.get(.meta, [1]) } } == .unavailable)
    for reader in readers.dropFirst() { #expect(try reader.read { rows in try rows.get(.meta, [1]) } == [7]) }
  }

  @Test func `commits end snapshots without anybody asking`() async throws {
    let space = try QuerySpace()
    try fill(space)
    space.database.snapshotLimit = 1 << 20
    let snapshot = try space.ref("t/big").snapshot()
    while errorCode({ try snapshot.exists() }) == nil {
      try await space.database.write { try $0.increment(try Path("t/big/0/n"), by: .int(1)) }
    }
    #expect(errorCode { try snapshot.exists() } == .unavailable)
  }

  @Test func `what a snapshot held on to is free when it is gone`() throws {
    let space = try QuerySpace()
    try fill(space)
    do {
      let snapshot = try space.ref("t/big").snapshot()
      #expect(try snapshot.exists())
      #expect(try space.database.store.endOldReaders())
    }
    #expect(try !space.database.store.endOldReaders())
  }

  @Test func `one snapshot is read by many threads`() async throws {
    let space = try QuerySpace()
    try fill(space)
    let snapshot = try space.ref("t/big").snapshot()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try snapshot.children.reduce(0) { try $0 + ($1.childSnapshot(forPath: "n").value as? Int ?? 0) }
        }
      }
      for try await sum in group { #expect(sum == 399 * 400 / 2) }
    }
  }
}
