import Dispatch
import TestSupport
import Testing

@testable import OfflineTree

/// References: where they stand, and what they write.
@Suite struct ReferenceTests {
  @Test func `references know where they stand`() throws {
    let space = try QuerySpace()
    let root = space.database.reference()
    #expect(root.key == nil)
    #expect(root.parent == nil)
    let joke = root.child("jokes").child("/a//b/")
    #expect(joke.key == "b")
    #expect(joke.parent == space.ref("jokes/a"))
    #expect(joke.root == root)
    #expect(joke.ref === joke || joke.ref == joke)
    #expect(joke.url == "offlinetree://\(space.database.spaceID)/jokes/a/b")
    #expect("\(joke)" == joke.url)
    let odd = root.child("ü ?%/유")
    #expect(odd.url.hasSuffix("/%C3%BC%20%3F%25/%EC%9C%A0"))
    #expect(space.database.reference(fromURL: odd.url) == odd)
    #expect(joke.queryLimited(toFirst: 1).ref == joke)
  }

  @Test(arguments: ["https://a/b", "offlinetree://", "offlinetree://00/a", "offlinetree://%zz/a"])
  func `a URL of another space is refused when it is used`(_ url: String) throws {
    let space = try QuerySpace()
    #expect(errorCode { try space.database.reference(fromURL: url).snapshot() } == .invalidArgument)
  }

  @Test(arguments: [".test", "test.", "fo$o", "[what", "ever]", "ha#sh", "a\u{7F}", "a\u{1F}b", "ok/.bad"])
  func `a name that cannot be a key is refused when it is used`(_ name: String) async throws {
    let space = try QuerySpace()
    let reference = space.ref("a").child(name)
    #expect(errorCode { try reference.snapshot() } == .invalidArgument)
    #expect(errorCode { try reference.child("b").snapshot() } == .invalidArgument)
    await #expect(throws: TreeError.self) { try await reference.setValue(1) }
    if !name.contains("/") {
      await #expect(throws: TreeError.self) { try await space.ref("a").setValue([name: 1]) }
      await #expect(throws: TreeError.self) { try await space.ref("a").setValue(["deeper": [name: 1]]) }
    }
    await #expect(throws: TreeError.self) { try await space.ref("a").updateChildValues([name: 1]) }
    #expect(try !space.ref("a").snapshot().exists())
  }

  @Test func `info is no part of the tree, and cannot be written`() async throws {
    let space = try QuerySpace()
    for path in [".info", ".info/connected", ".info/serverTimeOffset"] {
      let reference = space.ref(path)
      #expect(reference.location.info?.rawValue == path)
      await #expect(throws: TreeError.self) { try await reference.setValue(1) }
    }
    #expect(space.ref(".info").child("connected") == space.ref(".info/connected"))
    #expect(space.ref(".info/connected").parent == space.ref(".info"))
    #expect(errorCode { try space.ref(".info/other").requireValid() } == .invalidArgument)
  }

  @Test func `values of every kind are written and read`() async throws {
    let space = try QuerySpace()
    let reference = space.ref("v")
    try await reference.setValue(["a": 1, "b": [true, nil, "x"], "c": ["d": 2.5]])
    #expect(try reference.snapshot().get() == ["a": 1, "b": ["0": true, "2": "x"], "c": ["d": 2.5]])
    try await reference.child("a").setValue("leaf", andPriority: 10)
    try await reference.child("a/deeper").setValue("deeper")
    #expect(try reference.child("a").snapshot().priority as? Int == 10)
    #expect(try reference.child("a").snapshot().get() == ["deeper": "deeper"])
    try await reference.child("a").setPriority("p")
    #expect(try reference.child("a").snapshot().priority as? String == "p")
    try await reference.child("a").setValue(1)
    #expect(try reference.child("a").snapshot().priority == nil)
    try await reference.child("none").setPriority(1)
    #expect(try !reference.child("none").snapshot().exists())
    try await reference.child("b").removeValue()
    try await reference.setValue(nil, andPriority: 3)
    #expect(try !reference.snapshot().exists())
    space.clock.now = 5_000_000
    try await reference.setValue(["t": ServerValue.timestamp(), "n": ServerValue.increment(3)])
    try await reference.updateChildValues(["n": ServerValue.increment(0.5)])
    #expect(try reference.snapshot().get() == ["t": 5_000_000, "n": 3.5])
  }

  @Test(arguments: [
    ("null", "1", "1"), ("5", "1", "6"), (#""hello""#, "1", "1"), (#"{"a":1}"#, "1", "1"), ("true", "1", "1"),
    ("1", "1.0", "2.0"), ("1", "9223372036854775807", "9223372036854775808.0"), ("2.5", "-1", "1.5"),
  ])
  func `increments add as they do there`(_ before: String, _ delta: String, _ after: String) async throws {
    let space = try QuerySpace()
    try space.set("n", json: before)
    try space.set("n", json: #"{".sv": {"increment": \#(delta)}}"#)
    #expect(try NewValue(space.ref("n").snapshot().get()) == NewValue(json: after))
  }

  @Test func `a priority counts up`() async throws {
    let space = try QuerySpace()
    try await space.ref("n").setValue("x", andPriority: ServerValue.increment(1))
    #expect(try space.ref("n").snapshot().priority as? Int == 1)
    try await space.ref("n").setPriority(ServerValue.increment(1.5))
    #expect(try space.ref("n").snapshot().priority as? Double == 2.5)
  }

  @Test(arguments: [
    ["/": 1, "a": 1], ["a": 1, "a/b": 1], ["/a/b/.priority": 1, "/a/b": 1], ["/a/b/.sv": 1], ["/a/b/.value": 1],
    ["a/b": 1, "a/b/c/d": 1, "x": 2], ["a.b": 1], ["a": 1, "a/": 2], ["a/.priority": 1, "": 2],
  ])
  func `paths of an update must not contain one another`(_ update: [String: Int]) async throws {
    let space = try QuerySpace()
    await #expect(throws: TreeError.self) { try await space.ref("u").updateChildValues(update) }
    #expect(try !space.ref("u").snapshot().exists())
  }

  @Test func `an update sets several paths at once, priorities too, and leaves the rest`() async throws {
    let space = try QuerySpace()
    try await space.ref("u").setValue(["a": ["x": 1, "y": 2], "b": 3], andPriority: 5)
    try await space.ref("u").updateChildValues(["a/x": 10, "b": nil, "c/d/e": "new", "a/y/.priority": 1, "a-b": 1])
    #expect(try space.ref("u").snapshot().get() == ["a": ["x": 10, "y": 2], "c": ["d": ["e": "new"]], "a-b": 1])
    #expect(try space.ref("u").snapshot().priority as? Int == 5)
    #expect(try space.ref("u/a/y").snapshot().priority as? Int == 1)
    await #expect(throws: TreeError.self) { try await space.ref("u").updateChildValues(["a/.priority": ["x": 1]]) }
    try await space.ref("u").updateChildValues([:])
  }

  @Test func `writes are made in the order of the calls, and blocks are told`() async throws {
    let space = try QuerySpace()
    let queue = DispatchQueue(label: "callbacks")
    space.database.callbackQueue = queue
    let told = Monitor<[String]>([])
    let reference = space.ref("v")
    // Not awaited: in a closure that is not async these are the forms that return at once.
    let write = {
      for number in 0..<50 { reference.setValue(number) }
      reference.setValue(["a.b": 1]) { error, _ in told.change { $0.append("bad \(error != nil)") } }
      reference.setValue("last") { error, ref in told.change { $0.append("\(ref.key ?? "") \(error == nil)") } }
    }
    write()
    let texts = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: told.wait { $0.count == 2 ? $0 : nil }) }
    }
    #expect(texts == ["bad true", "v true"])
    #expect(try reference.snapshot().value as? String == "last")
  }

  @Test func `a failure that nobody waits for is told`() async throws {
    let space = try QuerySpace()
    let told = Monitor<[String]>([])
    space.database.failures = { error, path in
      told.change { $0.append("\(path): \((error as? TreeError)?.code.rawValue ?? "")") }
    }
    let write = {
      space.ref("a").setValue(Double.nan)
      space.ref("b").setValue(["x": PathKey("a")])
    }
    write()
    #expect(told.withLock { $0 } == ["a: invalidArgument", "b: invalidArgument"])
    space.database.close()
    let late = { space.ref("c").removeValue() }
    late()
    let texts = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: told.wait { $0.count == 3 ? $0 : nil }) }
    }
    #expect(texts.last == "c: unavailable")
  }

  @Test func `who is logged in is who writes`() async throws {
    let flags = [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")]
    let space = try QuerySpace(own: ["jokes"], flags: flags)
    let joke = space.ref("jokes").childByAutoId()
    try await joke.setValue(["votes": 0])
    let key = try #require(joke.key)
    await #expect(throws: TreeError.self) { try await space.ref("users/u/votes/\(key)").setValue(true) }
    var typed = Array("four words at random".utf8)
    let user = try await Auth(space.database, profile: .smallest).createUser(
      withEmail: "ada@example.org", password: try Password(&typed), username: "ada"
    ).user
    try await space.ref("users/\(user.uid)/votes/\(key)").setValue(true)
    #expect(try joke.child("votes").snapshot().value as? Int == 1)
    try await space.ref("users/\(user.uid)/votes/\(key)").removeValue()
    #expect(try joke.child("votes").snapshot().value as? Int == 0)
    await #expect(throws: TreeError.self) { try await space.ref("users/u/votes/\(key)").setValue(true) }
  }
}
