import OfflineTree
import TestSupport

/// What two or three acts about one person come to, and whoever of her devices writes besides: at small scope, as data.
///
/// ann has signed up on the first device and is logged in on both; every act is in a log of its own.
struct PeopleScope {
  /// Something that somebody does about ann.
  struct Act: Sendable {
    let name: String
    /// By place in `devices`: the first and the second are ann's, the third is the founder's.
    let device: Int
    var isAuthored = false
    var operations: [OfflineTree.Operation] = []
    let controls: @Sendable (PeopleScope, TestDevice) -> [ControlOperation]
  }

  let space: ModelSpace
  let ann: TestPerson
  let devices: [TestDevice]
  private let base: [Record]
  private let tips: [Record]

  static let keys = (0..<6).map { TestPerson.key("key \($0)") }

  init() throws {
    let space = try ModelSpace(devices: ["founder", "first", "second"], foundedByFirst: true, seed: 7)
    let ann = TestPerson("ann", space: space.id)
    var logs = space.logs.indices.filter { $0 != space.founder }.map { space.logs[$0] }
    let signUp = try logs[0].control(
      [ann.signUp(on: logs[0].device), ann.logIn(on: logs[0].device)].normalized, stamp: .at(100))
    let logIn = try logs[1].control([ann.logIn(on: logs[1].device)], seeing: [signUp], stamp: .at(200))
    (self.space, self.ann) = (space, ann)
    devices = logs.map(\.device) + [space.logs[space.founder].device]
    base = space.introductions + [signUp, logIn]
    tips = [logIn]
  }

  func end(_ key: Int) -> ControlOperation {
    .end(.userKey(user: ann.user, (key == 0 ? ann.key : Self.keys[key]).publicKey))
  }

  func rekey(_ from: Int, to: Int, on device: TestDevice, by signer: SigningKey? = nil) -> ControlOperation {
    let previous = from == 0 ? ann.key : Self.keys[from]
    return ann.rekey(
      to: Self.keys[to], version: from == 0 ? 1 : 2, from: previous, by: signer ?? previous, on: device)
  }

  static let acts: [Act] = [
    Act(name: "log out here", device: 0) { scope, device in [scope.ann.logOut(of: device)] },
    Act(name: "log out the second", device: 0, isAuthored: true) { scope, _ in [scope.ann.logOut(of: scope.devices[1])]
    },
    Act(name: "log out the first", device: 1, isAuthored: true) { scope, _ in [scope.ann.logOut(of: scope.devices[0])]
    },
    Act(name: "log out there", device: 1) { scope, device in [scope.ann.logOut(of: device)] },
    Act(name: "owner logs out", device: 2) { scope, _ in [scope.ann.logOut(of: scope.devices[0])] },
    Act(name: "owner ends", device: 2) { scope, _ in [scope.end(0)] },
    Act(name: "owner ends the new key", device: 2) { scope, _ in [scope.end(1)] },
    Act(name: "delete", device: 0, isAuthored: true, operations: [.put("bye", 1)]) { scope, _ in [scope.end(0)] },
    Act(name: "delete there", device: 1, isAuthored: true) { scope, _ in [scope.end(0)] },
    Act(name: "new password", device: 0) { scope, device in
      [scope.rekey(0, to: 1, on: device), scope.ann.logIn(on: device, by: keys[1])]
    },
    Act(name: "rival password", device: 1) { scope, device in
      [scope.rekey(0, to: 2, on: device), scope.ann.logIn(on: device, by: keys[2])]
    },
    Act(name: "recover", device: 0, isAuthored: true) { scope, device in
      [scope.rekey(0, to: 3, on: device, by: scope.ann.recovery), scope.ann.logIn(on: device, by: keys[3])]
    },
    Act(name: "recover with another code", device: 1) { scope, device in
      let new = TestPerson.key("other recovery")
      return [scope.ann.rekey(to: keys[4], by: scope.ann.recovery, recovery: new, on: device)]
    },
    Act(name: "decide by the code", device: 1, isAuthored: true) { scope, device in
      [scope.rekey(0, to: 4, on: device, by: scope.ann.recovery), scope.end(1)]
    },
    Act(name: "password after the new one", device: 1) { scope, device in [scope.rekey(1, to: 5, on: device)] },
    Act(name: "log in again", device: 1) { scope, device in [scope.ann.logIn(on: device, number: 1)] },
    Act(name: "replay", device: 0) { scope, device in [scope.ann.logIn(on: device)] },
    Act(name: "log in by the new key", device: 1) { scope, device in [scope.ann.logIn(on: device, by: keys[1])] },
    Act(name: "vouch", device: 2) { scope, _ in [.vouch(user: scope.ann.user, email: scope.ann.email)] },
    Act(name: "rules", device: 2) { _, _ in
      [.rules(Array(#"{"rules": {".write": "auth.token.email_verified || auth.token.name == 'eve'"}}"#.utf8))]
    },
    Act(name: "other rules", device: 2) { _, _ in [.rules(Array(#"{"rules": {".write": "auth != null"}}"#.utf8))] },
    Act(name: "write", device: 1, isAuthored: true, operations: [.put("w", 1)]) { _, _ in [] },
    Act(name: "write and log out", device: 0, isAuthored: true, operations: [.put("v", 1)]) { scope, device in
      [scope.ann.logOut(of: device)]
    },
    Act(name: "end the second device", device: 2) { scope, _ in [.end(.device(scope.devices[1].key))] },
    Act(name: "make an owner", device: 2) { scope, _ in [.grant(device: scope.devices[0].key, .owner)] },
    Act(name: "log out as an owner", device: 0) { scope, _ in [scope.ann.logOut(of: scope.devices[1])] },
    Act(name: "sign up again", device: 0) { scope, device in [scope.ann.named("eve").signUp(on: device)] },
  ]

  /// Those that end something, or bring it back.
  static let dangerous = [
    "log out the second", "log out the first", "owner ends", "delete", "new password", "rival password", "recover",
    "password after the new one", "log out as an owner", "make an owner",
  ].compactMap { name in acts.first { $0.name == name } }

  /// The changes of one case: the base, the acts, and writes of both devices that had seen only the base, or everything.
  ///
  /// - Parameter seen: By act: those before it that it had seen.
  func records(_ acts: [Act], seen: [[Int]]) throws -> [Record] {
    var (records, made, ends) = (base, [Record](), [Record]())
    for (number, act) in acts.enumerated() {
      let past = ends.isEmpty ? tips : seen[number].isEmpty ? tips : seen[number].map { ends[$0] }
      let pair = try change(act, number: number, seeing: past, at: UInt64(1_000 + 100 * number))
      records += pair
      ends.append(pair[1])
      made += pair
    }
    // Of what they had seen only what no other had seen is named.
    let edge = ends.indices.filter { index in !seen.contains { $0.contains(index) } }.map { ends[$0] }
    for (number, past) in [tips, tips, edge, edge].enumerated() {
      let write = Act(name: "probe", device: number % 2, isAuthored: true, operations: [.put("p\(number)", 1)]) {
        _, _ in []
      }
      records += try change(write, number: 10 + number, seeing: past, at: 5_000 + 10 * UInt64(number))
    }
    return records
  }

  private func change(_ act: Act, number: Int, seeing past: [Record], at time: UInt64) throws -> [Record] {
    let device = devices[act.device]
    var log = RawLog(space: space.id, device: device, random: Bytes16([UInt8](repeating: UInt8(number + 1), count: 16)))
    let beginning = try log.introduce(name: "d", parents: past.map(\.parent), stamp: .at(time))
    let record = try log.control(
      act.controls(self, device).normalized, stamp: .at(time + 1), author: act.isAuthored ? ann.user : nil,
      operations: act.operations)
    return [beginning, record]
  }
}
