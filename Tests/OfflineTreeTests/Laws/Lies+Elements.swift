import OfflineTree
import TestSupport

extension Lie {
  static let aboutElements: [Lie] = [
    Lie("another device's element, with the nonce that it used", voids: 1) {
      try $0.liar.write(
        [.put("own/\($0.key)/text", .string("mine"))], seeing: [$0.vote], stamp: .at(3_000),
        bindings: [$0.binding($0.key, nonce: 7)])
    },
    Lie("another device's element, unseen and earlier", voids: 1) {
      try $0.liar.write(
        [.put("own/\($0.key)/text", .string("mine"))], stamp: .at(1), bindings: [$0.binding($0.key, nonce: 7)])
    },
    Lie("an own key without its binding", voids: 1) {
      let key = LiarSpace.key($0.space.id, $0.liar, at: 5_000, nonce: 9)
      try $0.liar.write([.put("own/\(key)/text", .string("x"))], stamp: .at(3_000))
    },
    Lie("an own key with its binding counts", tree: nil) {
      let key = LiarSpace.key($0.space.id, $0.liar, at: 5_000, nonce: 9)
      try $0.liar.write(
        [.put("own/\(key)/text", .string("x"))], stamp: .at(3_000), bindings: [$0.binding(key, nonce: 9)])
    },
    Lie("one wrong element makes the whole change void", voids: 1) {
      let key = LiarSpace.key($0.space.id, $0.liar, at: 5_000, nonce: 9)
      try $0.liar.write(
        [.put("note", 1), .put("own/\(key)/text", .string("x")), .put("own/free/text", .string("x"))],
        stamp: .at(3_000), bindings: [$0.binding(key, nonce: 9)])
    },
    Lie("a member's import", voids: 1) {
      try $0.liar.write([.put("own/free/text", .string("x"))], stamp: .at(3_000), isImport: true)
    },
    Lie("the founder's import counts", tree: tree(jokes: #","free":{"text":"x"}"#)) {
      try $0.founder.write([.put("own/free/text", .string("x"))], stamp: .at(3_000), isImport: true)
    },
    Lie("an increment below a joke's text", conflicts: ["own/JOKE/text/deep: sum 5"]) {
      try $0.liar.write([.increment("own/\($0.key)/text/deep", by: 5)], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("an increment of a joke's text", conflicts: ["own/JOKE/text: sum 5"]) {
      try $0.liar.write([.increment("own/\($0.key)/text", by: 5)], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a vote at a joke's text", conflicts: ["own/JOKE/text: sum 1"]) {
      try $0.liar.write([.vote("own/\($0.key)/text", voter: "l", choice: 1)], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("an increment of a joke's number counts", tree: tree(votes: 6)) {
      try $0.liar.write([.increment("own/\($0.key)/votes", by: 5)], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a clear of a joke, and of all jokes") {
      try $0.liar.write([.clear("own/\($0.key)")], seeing: [$0.vote], stamp: .at(3_000))
      try $0.liar.write([.clear("")], stamp: .at(3_001))
    },
    Lie("a put where the jokes are", conflicts: ["own: \"five\""]) {
      try $0.liar.write([.put("own", .string("five"))], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("a priority in somebody's joke") {
      try $0.liar.write([.priority("own/\($0.key)", .int(5))], seeing: [$0.vote], stamp: .at(3_000))
    },
    Lie("the maker of a joke cannot change it later") {
      try $0.founder.write(
        [.put("own/\($0.key)/text", .string("better")), .priority("own/\($0.key)", .int(1))], stamp: .at(3_000),
        bindings: [$0.binding($0.key, nonce: 7)])
    },
    Lie("a later put in an open element has no effect", tree: tree(before: #""open":{"j":{"text":"a"}},"#)) {
      let made = try $0.founder.write([.put("open/j/text", .string("a"))], stamp: .at(3_000))
      try $0.liar.write([.put("open/j/text", .string("b"))], seeing: [made], stamp: .at(3_001))
      try $0.liar.write([.put("open/j/more", .string("c"))], stamp: .at(3_002))
    },
    Lie(
      "of rivals for an open key the lowest stamp owns it, true or not",
      tree: tree(before: #""open":{"j":{"text":"b"}},"#), conflicts: ["open/j/text: \"a\"", "open/j/votes: 0"]
    ) {
      try $0.founder.write([.put("open/j/text", .string("a")), .put("open/j/votes", 0)], stamp: .at(3_000))
      try $0.liar.write([.put("open/j/text", .string("b"))], stamp: .at(1))
    },
    Lie(
      "votes for a rival's number count where the owner put one",
      tree: #"{"open":{"j":{"votes":11}},"own":{"JOKE":{"text":"joke","votes":1}},"#
        + #""users":{"h":{"votes":{"JOKE":true}},"l":{"likes":{"j":true}}}}"#,
      conflicts: ["open/j/votes: 0"]
    ) {
      let made = try $0.founder.write([.put("open/j/votes", 0)], stamp: .at(3_000))
      try $0.liar.write([.put("open/j/votes", 10)], stamp: .at(1))
      try $0.honest.write([.vote("open/j/votes", voter: "l", choice: 1)], seeing: [made], stamp: .at(3_001))
    },
  ]
}
