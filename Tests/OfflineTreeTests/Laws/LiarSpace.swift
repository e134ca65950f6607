import OfflineTree
import TestSupport
import Testing

/// A space with a founder, an honest device and a liar, whose changes are written by hand.
///
/// The founder posts a joke in the `own` set, the honest device votes for it; then a lie is told.
struct LiarSpace {
  let space: ModelSpace
  var founder: RawLog
  var honest: RawLog
  var liar: RawLog
  /// The key of the joke, bound to the founder's device with the nonce 7.
  let key: String
  let joke: Record
  let vote: Record
  /// Changes that no log above ends in: branches, and what does not stand on its log's tip.
  var loose: [Record] = []

  init() throws {
    let sets = try Fleet.sets.map { Genesis.AddOnlySet(path: try Path($0.0), keys: $0.1) }
    let made = try ModelSpace(devices: ["a", "b", "c"], addOnlySets: sets, flags: Fleet.flags, seed: 3)
    let others = made.logs.indices.filter { $0 != made.founder }
    space = made
    founder = made.logs[made.founder]
    honest = made.logs[others[0]]
    liar = made.logs[others[1]]
    key = LiarSpace.key(space.id, founder, at: 1_000, nonce: 7)
    joke = try founder.write(
      [.put("own/\(key)/text", .string("joke")), .put("own/\(key)/votes", 0)], stamp: .at(1_000),
      bindings: [ElementBinding(element: PathKey("own/\(key)"), nonce: 7)])
    vote = try honest.write([.vote("own/\(key)/votes", voter: "h", choice: 1)], seeing: [joke], stamp: .at(2_000))
  }

  /// The key of an element that is bound to a log's device.
  static func key(_ space: SpaceID, _ log: RawLog, at time: Int64, nonce: UInt64) -> String {
    ElementBinding.key(space: space, device: log.deviceKey, milliseconds: time, nonce: nonce).text
  }

  func binding(_ key: String, nonce: UInt64) -> ElementBinding {
    ElementBinding(element: PathKey("own/\(key)"), nonce: nonce)
  }

  var genesis: Record { space.beginning }

  /// Every change but the genesis, each log in its order.
  var records: [Record] {
    var seen: Set<Bytes32> = [genesis.hash]
    return (founder.records + honest.records + liar.records + loose).filter { seen.insert($0.hash).inserted }
  }
}

/// Something that a member with a changed program might send, and what must come of it.
struct Lie: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The tree, in which JOKE stands for the joke's key; nil where it depends on a hash.
  let tree: String?
  /// Conflicts without their writers.
  let conflicts: [String]
  let voids: Int
  let tell: @Sendable (inout LiarSpace) throws -> Void

  /// What shows when a lie has no effect.
  static let untouched = #"{"own":{"JOKE":{"text":"joke","votes":1}},"users":{"h":{"votes":{"JOKE":true}}}}"#

  init(
    _ name: String, tree: String? = Lie.untouched, conflicts: [String] = [], voids: Int = 0,
    tell: @escaping @Sendable (inout LiarSpace) throws -> Void
  ) {
    testDescription = name
    self.tree = tree
    self.conflicts = conflicts
    self.voids = voids
    self.tell = tell
  }

  /// The untouched tree with something before the jokes, something among them, something after the users.
  static func tree(before: String = "", jokes: String = "", votes: Int = 1) -> String {
    let joke = #""JOKE":{"text":"joke","votes":\#(votes)}"#
    return #"{\#(before)"own":{\#(joke)\#(jokes)},"users":{"h":{"votes":{"JOKE":true}}}}"#
  }
}
