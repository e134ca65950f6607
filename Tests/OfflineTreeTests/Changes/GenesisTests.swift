import OfflineTree
import TestSupport
import Testing

@Suite struct GenesisTests {
  private func genesis(
    _ name: String = "Jokes", nonce: UInt8 = 3, recovery: UInt8 = 2, membersMayInvite: Bool = false
  ) throws -> Genesis {
    try Genesis(
      founder: Bytes32(repeatElement(1, count: 32)), recoveryKey: Bytes32(repeatElement(recovery, count: 32)),
      membersMayInvite: membersMayInvite, name: name,
      addOnlySets: [Genesis.AddOnlySet(path: try Path("jokes"), keys: .own)],
      flags: [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")],
      nonce: Bytes32(repeatElement(nonce, count: 32)))
  }

  @Test func `what was written is read back, and the id follows from the bytes`() throws {
    let genesis = try genesis()
    let read = try Genesis(decoding: genesis.encoded[...])
    #expect(read == genesis)
    #expect(read.spaceID == Sodium.hash32(genesis.encoded))
    #expect(try self.genesis(nonce: 4).spaceID != genesis.spaceID)
    #expect(try self.genesis("Joke").spaceID != genesis.spaceID)
    #expect(try self.genesis(recovery: 5).spaceID != genesis.spaceID)
    let open = try self.genesis(membersMayInvite: true)
    #expect(open.spaceID != genesis.spaceID)
    #expect(try Genesis(decoding: open.encoded[...]) == open)
  }

  @Test func `a genesis that was cut short, or has bytes too many, is refused`() throws {
    let bytes = try genesis().encoded
    for count in bytes.indices {
      #expect(throws: TreeError.self) { try Genesis(decoding: bytes[..<count]) }
    }
    #expect(throws: TreeError.self) { try Genesis(decoding: (bytes + [0])[...]) }
  }

  /// The version, a policy, and the length of the first rules, which stands before the random bytes.
  @Test(arguments: [(0, 9), (65, 2), (-33, 1)] as [(Int, UInt8)])
  func `what a newer version wrote says so`(place: Int, value: UInt8) throws {
    var bytes = try genesis().encoded
    bytes[place < 0 ? bytes.count + place : place] = value
    #expect {
      try Genesis(decoding: bytes[...])
    } throws: {
      ($0 as? TreeError)?.code == .unsupportedVersion
    }
  }

  @Test func `a name may have 128 bytes`() throws {
    let longest = String(repeating: "n", count: Limits.nameBytes)
    #expect(try genesis(longest).name == longest)
    #expect(throws: TreeError.self) { try genesis(longest + "n") }
  }
}

@Suite struct IntroductionTests {
  private let key = Bytes32(repeatElement(7, count: 32))
  private let space = Bytes32(repeatElement(9, count: 32))

  @Test func `a log's id depends on the space, the device and the random bytes`() {
    let random = Bytes16(repeatElement(1, count: 16))
    let ids = [
      Introduction.logID(space: space, deviceKey: key, random: random),
      Introduction.logID(space: key, deviceKey: key, random: random),
      Introduction.logID(space: space, deviceKey: space, random: random),
      Introduction.logID(space: space, deviceKey: key, random: .zero),
    ]
    #expect(Set(ids).count == ids.count)
    let introduction = Introduction(
      random: random, deviceKey: key, boxKey: space, deviceName: "d", standing: .open)
    #expect(introduction.logID(space: space) == ids[0])
  }

  @Test func `a branch's id depends on the log and the branch's first change`() {
    let log = Bytes16(repeatElement(1, count: 16))
    let ids = [
      Introduction.branchID(log: log, first: key), Introduction.branchID(log: log, first: space),
      Introduction.branchID(log: .zero, first: key), log,
    ]
    #expect(Set(ids).count == ids.count)
  }

  @Test func `an introduction is the only operation of its change`() throws {
    let introduction = Introduction(random: .zero, deviceKey: key, boxKey: space, deviceName: "d", standing: .open)
    let change = Change(parents: [], stamp: .at(1), wallTime: 0, introduction: introduction)
    guard case .change(let read, nil) = try Change.decode(change.body[...]) else {
      Issue.record("the introduction is not read")
      return
    }
    #expect(read == change)
    var both = change
    both.operations = [.put("a", 1)]
    #expect(throws: TreeError.self) { try Change.decode(both.body[...]) }
  }
}

@Suite struct ElementBindingTests {
  private let space = Bytes32(repeatElement(9, count: 32))
  private let device = Bytes32(repeatElement(7, count: 32))

  @Test func `a key is bound to its space, device, time and nonce`() throws {
    let key = ElementBinding.key(space: space, device: device, milliseconds: 1_700_000_000_000, nonce: 5)
    let element = PathKey("jokes/\(key.text)")
    #expect(key.utf8.count == 20)
    #expect(ElementBinding(element: element, nonce: 5).binds(to: device, space: space))
    #expect(!ElementBinding(element: element, nonce: 6).binds(to: device, space: space))
    #expect(!ElementBinding(element: element, nonce: 5).binds(to: space, space: space))
    #expect(!ElementBinding(element: element, nonce: 5).binds(to: device, space: device))
    var text = key.utf8
    text[0] ^= 1
    let moved = PathKey("jokes/\(String(decoding: text, as: UTF8.self))")
    #expect(!ElementBinding(element: moved, nonce: 5).binds(to: device, space: space))
  }

  @Test(arguments: ["short", "exactly-20-characters-no", "-0123456789ABCDEFGH", "", "äöüäöüäöüä"])
  func `keys that are no push ids are bound to nobody`(key: String) {
    let element = PathKey(key.isEmpty ? "" : "jokes/\(key)")
    #expect(!ElementBinding(element: element, nonce: 0).binds(to: device, space: space))
  }

  @Test func `the time of a key is its first 8 characters`() {
    let early = ElementBinding.key(space: space, device: device, milliseconds: 1, nonce: 1)
    let late = ElementBinding.key(space: space, device: device, milliseconds: 2, nonce: 0)
    #expect(early < late)
    #expect(early.text.hasPrefix("-------0"))
  }
}
