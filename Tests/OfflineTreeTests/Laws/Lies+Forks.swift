import OfflineTree
import TestSupport

extension Lie {
  /// Two changes at one number: both branches count, and the fork is reported.
  static let aboutForks: [Lie] = [
    Lie("increments of both branches count", tree: tree(before: #""n":111,"#)) {
      var other = $0.liar
      $0.loose.append(try other.write([.increment("n", by: 10)], stamp: .at(3_000)))
      try $0.liar.write([.increment("n", by: 1)], stamp: .at(3_000))
      try $0.liar.write([.increment("n", by: 100)], stamp: .at(3_001))
    },
    Lie("a clear that saw one branch leaves the other", tree: tree(before: #""n":10,"#)) {
      var other = $0.liar
      $0.loose.append(try other.write([.increment("n", by: 10)], stamp: .at(3_000)))
      try $0.liar.write([.increment("n", by: 1)], stamp: .at(3_000))
      let tip = try $0.liar.write([.increment("n", by: 100)], stamp: .at(3_001))
      try $0.honest.write([.clear("n")], seeing: [tip], stamp: .at(3_002))
    },
    Lie("a fork inside a part that a clear had seen in part", tree: tree(before: #""n":1100,"#)) {
      try $0.liar.write([.increment("n", by: 1)], stamp: .at(3_000))
      var other = $0.liar
      let seen = try $0.liar.write([.increment("n", by: 10)], stamp: .at(3_001))
      try $0.liar.write([.increment("n", by: 100)], stamp: .at(3_002))
      $0.loose.append(try other.write([.increment("n", by: 1_000)], stamp: .at(3_001)))
      try $0.honest.write([.clear("n")], seeing: [seen], stamp: .at(3_003))
    },
    Lie("a fork of a fork", tree: tree(before: #""n":11111,"#)) {
      try $0.liar.write([.increment("n", by: 1)], stamp: .at(3_000))
      var second = $0.liar
      try $0.liar.write([.increment("n", by: 10)], stamp: .at(3_001))
      var third = $0.liar
      try $0.liar.write([.increment("n", by: 100)], stamp: .at(3_002))
      $0.loose.append(try second.write([.increment("n", by: 1_000)], stamp: .at(3_001)))
      $0.loose.append(try third.write([.increment("n", by: 10_000)], stamp: .at(3_002)))
    },
    Lie("values of both branches with one stamp: one shows, one is a conflict", tree: nil) {
      var other = $0.liar
      $0.loose.append(try other.write([.put("x", 1)], stamp: .at(3_000)))
      try $0.liar.write([.put("x", 2)], stamp: .at(3_000))
    },
    Lie(
      "of a voter's choices in both branches the later stands",
      tree:
        #"{"own":{"JOKE":{"text":"joke","votes":0}},"users":{"h":{"votes":{"JOKE":true}},"l":{"votes":{"JOKE":true}}}}"#
    ) {
      var other = $0.liar
      let path = "own/\($0.key)/votes"
      $0.loose.append(try other.write([.vote(path, voter: "l", choice: 1)], seeing: [$0.vote], stamp: .at(3_000)))
      try $0.liar.write([.vote(path, voter: "l", choice: -1)], seeing: [$0.vote], stamp: .at(3_001))
    },
    Lie("an element that both branches make", tree: nil) {
      var other = $0.liar
      let key = LiarSpace.key($0.space.id, $0.liar, at: 5_000, nonce: 9)
      let bindings = [$0.binding(key, nonce: 9)]
      $0.loose.append(
        try other.write([.put("own/\(key)/text", .string("one"))], stamp: .at(3_000), bindings: bindings))
      try $0.liar.write([.put("own/\(key)/text", .string("two"))], stamp: .at(3_000), bindings: bindings)
    },
    Lie("one branch sees the other", tree: tree(before: #""a":2,"#)) {
      var other = $0.liar
      let first = try other.write([.put("a", 1)], stamp: .at(3_000))
      $0.loose.append(first)
      try $0.liar.write([.put("b", 1)], stamp: .at(3_000))
      try $0.liar.write([.clear("b"), .put("a", 2)], seeing: [first], stamp: .at(3_001))
    },
    Lie("a void change at the root of a branch", tree: tree(before: #""n":101,"#), voids: 1) {
      var other = $0.liar
      $0.loose.append(try other.write([.increment("n", by: 10)], seeing: [$0.vote], stamp: .at(1)))
      $0.loose.append(try other.write([.increment("n", by: 100)], stamp: .at(3_000)))
      try $0.liar.write([.increment("n", by: 1)], stamp: .at(3_000))
    },
    Lie("two introductions of one log", tree: tree(before: #""n":11,"#)) {
      var other = $0.liar.prefix(0)
      $0.loose.append(try other.join($0.space.invite, name: "other", seeing: [$0.space.registration], stamp: .at(0, 3)))
      $0.loose.append(try other.write([.increment("n", by: 10)], stamp: .at(3_000)))
      try $0.liar.write([.increment("n", by: 1)], stamp: .at(3_000))
    },
    Lie("a second log of one device rivals the first for its own element", tree: nil) {
      var other = RawLog(space: $0.space.id, device: $0.liar.device, random: Bytes16(repeatElement(5, count: 16)))
      $0.loose.append(
        try other.introduce(name: "again", parents: [$0.liar.records[0].parent], stamp: .at(0, 3)))
      let key = LiarSpace.key($0.space.id, $0.liar, at: 5_000, nonce: 9)
      let bindings = [$0.binding(key, nonce: 9)]
      $0.loose.append(
        try other.write([.put("own/\(key)/text", .string("one"))], stamp: .at(3_000), bindings: bindings))
      try $0.liar.write([.put("own/\(key)/text", .string("two"))], stamp: .at(2_999), bindings: bindings)
    },
  ]

  static let all = aboutContexts + aboutContents + aboutElements + aboutForks
}
