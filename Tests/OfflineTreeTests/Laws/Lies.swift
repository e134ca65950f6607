import OfflineTree
import TestSupport

extension Lie {
  static let aboutContexts: [Lie] = [
    Lie("a change that says it had seen nothing clears nothing", tree: tree(before: #""note":"x","#)) {
      try $0.liar.write([.clear(""), .put("note", .string("x"))], stamp: .at(1_500))
    },
    Lie("a stamp that is not above what was seen", voids: 1) {
      try $0.liar.write([.put("note", 1)], seeing: [$0.vote], stamp: .at(2_000))
    },
    Lie("a stamp at the highest that is allowed", tree: tree(before: #""note":1,"#)) {
      try $0.liar.write([.put("note", 1)], seeing: [$0.vote], stamp: .at(2_000 + (1 << 32)))
    },
    Lie("a stamp too high does not bound those who saw it", tree: tree(before: #""note":"now","#), voids: 1) {
      let lie = try $0.liar.write([.put("note", 1)], seeing: [$0.vote], stamp: .at(2_001 + (1 << 32)))
      try $0.honest.write([.put("note", .string("now"))], seeing: [lie], stamp: .at(3_000))
    },
    Lie("a parent that another parent had seen", voids: 1) {
      try $0.liar.write([.put("note", 1)], seeing: [$0.joke, $0.vote], stamp: .at(3_000))
    },
    Lie("a parent that the change before had seen", voids: 1) {
      try $0.liar.write([.put("note", 1)], seeing: [$0.genesis], stamp: .at(3_000))
    },
    Lie("a parent that nobody has") {
      let parent = Change.Parent(log: $0.honest.id, seq: 1, hash: .zero)
      try $0.liar.append(
        Change(parents: [parent], stamp: .at(3_000), wallTime: 0, operations: [.put("note", 1)]))
    },
    Lie("a void change is in the past of those who saw it", tree: tree(before: #""note":2,"#), voids: 1) {
      let lie = try $0.liar.write([.put("note", 1)], seeing: [$0.vote], stamp: .at(1))
      let next = try $0.liar.write([.put("note", 2)], stamp: .at(2_001))
      try $0.honest.write([.put("other", 1)], seeing: [next], stamp: .at(2_002))
      try $0.honest.write([.clear("other")], stamp: .at(2_003))
      _ = lie
    },
    Lie("an operation of a kind that nobody knows holds up what saw it, and nothing else") {
      let strange = try $0.liar.append(
        body: RawChange(stamp: .at(3_000), rawOperations: [(kind: 0x7F, body: [1])]).body)
      try $0.liar.write([.put("later", 1)], stamp: .at(3_001))
      try $0.founder.write([.put("seen", 1)], seeing: [strange], stamp: .at(3_002))
    },
  ]

  static let aboutContents: [Lie] = [
    Lie("operations that are not in normal form", voids: 1) {
      try $0.liar.append(
        body: RawChange(stamp: .at(3_000), operations: [.put("note", 1), .clear("other")]).body)
    },
    Lie("a path of 33 levels", voids: 1) {
      let path = Array(repeatElement("k", count: 33).joined(separator: "/").utf8)
      let put = (kind: UInt8(0x21), body: RawChange.put(path, .int(1)))
      try $0.liar.append(body: RawChange(stamp: .at(3_000), rawOperations: [put]).body)
    },
    Lie("an author that is no key", voids: 1) {
      try $0.liar.append(body: RawChange(stamp: .at(3_000), author: "a/b", operations: [.put("note", 1)]).body)
    },
    Lie("a put at somebody's flag") {
      try $0.liar.write([.put("users/h/votes/\($0.key)", .bool(false))], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a put below somebody's flag") {
      try $0.liar.write([.put("users/h/votes/\($0.key)/deep", 1)], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a flag that nobody has voted for") {
      try $0.liar.write([.put("users/x/votes/\($0.key)", .bool(true))], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a put above the flags", conflicts: ["users/h: \"gone\""]) {
      try $0.liar.write([.put("users/h", .string("gone"))], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a clear of all users takes no flag away") {
      try $0.liar.write([.clear("users")], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a vote in another's name is that voter's, while nobody signs for people", tree: tree(votes: 0).dropUsers) {
      try $0.liar.write([.vote("own/\($0.key)/votes", voter: "h", choice: 0)], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a vote whose flag would have too long a path", voids: 1) {
      let (joke, voter) = (String(repeating: "j", count: 100), String(repeating: "v", count: 700))
      try $0.liar.write([.vote("own/\(joke)/votes", voter: voter, choice: 1)], stamp: .at(3_000))
    },
  ]
}

extension String {
  fileprivate var dropUsers: String {
    guard let users = firstRange(of: #","users""#) else { return self }
    return self[..<users.lowerBound] + "}"
  }
}
