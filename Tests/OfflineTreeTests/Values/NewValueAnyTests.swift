import Testing

@testable import OfflineTree

/// What setValue takes.
@Suite struct NewValueAnyTests {
  private struct Other {}

  private func expect(_ value: Any?, _ json: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try NewValue(any: value) == NewValue(json: json), sourceLocation: sourceLocation)
  }

  @Test func `scalars, arrays and dictionaries become what they say`() throws {
    try expect(nil, "null")
    try expect(Int?.none as Any, "null")
    try expect(Int??.some(3) as Any, "3")
    try expect(true, "true")
    try expect(UInt8(7), "7")
    try expect(Int64.max, "9223372036854775807")
    try expect(UInt64(5), "5")
    try expect(2.5, "2.5")
    try expect(-0.0, "0.0")
    try expect(Float(0.5), "0.5")
    try expect("text".dropFirst(), #""ext""#)
    try expect([1, nil, 3] as [Int?], #"{"0": 1, "2": 3}"#)
    try expect([] as [Any], "null")
    try expect(["a": [String: Int]()], "null")
    try expect(["a": 1, "b": nil] as [String: Int?], #"{"a": 1}"#)
    try expect(["a": ["b": [true, "x"] as [Any]]], #"{"a": {"b": {"0": true, "1": "x"}}}"#)
    try expect([".value": 5, ".priority": "p"] as [String: Any], #"{".value": 5, ".priority": "p"}"#)
    try expect([".priority": 1.5, "a": 1], #"{".priority": 1.5, "a": 1.0}"#)
    try expect(Value.object(Value.Object([Value.Object.Member(try Key("a"), 1)])), #"{"a": 1}"#)
    try expect(Scalar.int(4), "4")
    try expect(NewValue.timestamp, #"{".sv": "timestamp"}"#)
    try expect(ServerValue.timestamp(), #"{".sv": "timestamp"}"#)
    try expect(["n": ServerValue.increment(-2)], #"{"n": {".sv": {"increment": -2}}}"#)
    try expect(ServerValue.increment(0.5), #"{".sv": {"increment": 0.5}}"#)
    try expect(
      [".priority": ServerValue.timestamp(), ".value": 1], #"{".priority": {".sv": "timestamp"}, ".value": 1}"#)
  }

  @Test(arguments: [
    (["a": ["b": Other()]] as [String: any Sendable], "at a/b: a value of the type Other"),
    (["a": [1, Other()] as [any Sendable]], "at a/1: a value of the type Other"),
    (["a": ["x.y": 1]], "at a: the key \"x.y\""), ([".value": ["a": 1]], ".value has to be a value without children"),
    ([".value": 1, "a": 1], ".value has company"), ([".sv": "timestamp", "a": 1], ".sv has company"),
    ([".sv": "other"], "a server value that is not known"), ([".sv": ["increment": "x"]], "a server value that is not"),
    (["a": [".priority": true, "b": 1] as [String: any Sendable]], "at a: a priority has to be"),
    (["a": Double.nan], "at a: nan"), (["a": Double.infinity], "at a: inf"), (["a": UInt64.max], "at a: an integer"),
    ([".other": 1], "the key \".other\""),
  ])
  func `what cannot be stored is named with its path`(_ value: [String: any Sendable], _ text: String) {
    #expect {
      try NewValue(any: value)
    } throws: { error in
      (error as? TreeError)?.code == .invalidArgument && "\(error)".contains(text)
    }
  }

  @Test func `a value deeper than a path can be is refused`() throws {
    var value: Any = 1
    for _ in 0..<Limits.pathLevels { value = ["a": value] }
    _ = try NewValue(any: value)
    #expect(errorCode { try NewValue(any: ["a": value]) } == .limitExceeded)
    let text = String(repeating: "x", count: Limits.stringBytes + 1)
    #expect(errorCode { try NewValue(any: ["a": text]) } == .limitExceeded)
  }
}
