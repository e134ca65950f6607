import OfflineTree
import Testing

struct NewValueTests {
  private func object(_ members: (String, NewValue)..., priority: NewValue.Priority? = nil) throws -> NewValue {
    NewValue(members: try members.map { NewValue.Member(try Key($0.0), $0.1) }, priority: priority)
  }

  private func leaf(_ scalar: Scalar, _ priority: NewValue.Priority? = nil) -> NewValue {
    NewValue(content: .scalar(scalar), priority: priority)
  }

  @Test func `plain JSON is what it is as a value`() throws {
    for text in ["null", "1", "1.5", "\"a\"", "true", "[1,null,{\"a\":2}]", "{\"b\":{\"c\":1},\"a\":null}", "{}"] {
      #expect(try NewValue(json: text) == NewValue(Value(json: text)), "\(text)")
    }
  }

  @Test func `server values stand anywhere`() throws {
    #expect(try NewValue(json: #"{".sv":"timestamp"}"#) == .timestamp)
    #expect(try NewValue(json: #"{".sv":{"increment":-2}}"#) == NewValue.increment(.int(-2)))
    #expect(try NewValue(json: #"{"a":{".sv":{"increment":0.5}}}"#) == object(("a", NewValue.increment(.double(0.5)))))
    #expect(
      try NewValue(json: #"{".value":{".sv":"timestamp"},".priority":{".sv":"timestamp"}}"#)
        == NewValue(content: .timestamp, priority: .timestamp))
  }

  @Test func `priorities go with their nodes`() throws {
    #expect(try NewValue(json: #"{".priority":2,".value":"x"}"#) == leaf(.string("x"), .scalar(.int(2))))
    #expect(
      try NewValue(json: #"{"a":1,".priority":"p"}"#) == object(("a", leaf(.int(1))), priority: .scalar(.string("p"))))
    #expect(try NewValue(json: #"{"a":1,".priority":null}"#) == object(("a", leaf(.int(1))), priority: .null))
    #expect(
      try NewValue(json: #"{".value":1,".priority":{".sv":{"increment":1}}}"#) == leaf(.int(1), .increment(.int(1))))
    #expect(try NewValue(json: #"{".value":1}"#) == leaf(.int(1)))
  }

  @Test func `a node without a value has no priority`() throws {
    #expect(try NewValue(json: #"{".priority":1}"#) == .null)
    #expect(try NewValue(json: #"{".value":null,".priority":1}"#) == .null)
    #expect(try NewValue(json: #"{"a":null,".priority":1}"#) == .null)
    #expect(try NewValue(json: #"{"a":{".priority":1},"b":2}"#) == object(("b", leaf(.int(2)))))
  }

  @Test func `of a name's rivals the last one counts`() throws {
    #expect(try NewValue(json: #"{"a":1,"b":2,"a":3}"#) == object(("a", leaf(.int(3))), ("b", leaf(.int(2)))))
    #expect(try NewValue(json: #"{"a":1,"a":null}"#) == .null)
    #expect(try NewValue(json: #"{".value":1,".value":2}"#) == leaf(.int(2)))
  }

  @Test(arguments: [
    #"{".value":1,"a":2}"#, #"{".value":1,"a":null}"#, #"{".value":{"a":1}}"#, #"{".value":[1]}"#,
    #"{".value":{".value":1,".priority":2}}"#, #"{".sv":"timestamp","a":1}"#, #"{".sv":"timestamp",".priority":1}"#,
    #"{".sv":"timestamp",".value":1}"#, #"{".sv":"now"}"#, #"{".sv":1}"#, #"{".sv":null}"#, #"{".sv":{}}"#,
    #"{".sv":{"increment":"1"}}"#, #"{".sv":{"increment":true}}"#, #"{".sv":{"increment":null}}"#,
    #"{".sv":{"increment":{}}}"#, #"{".sv":{"decrement":1}}"#, #"{".sv":{"increment":1,"x":1}}"#,
    #"{".sv":["increment"]}"#,
    #"{".priority":true,"a":1}"#, #"{".priority":{"b":1},"a":1}"#, #"{".priority":[1],"a":1}"#,
    #"{".priority":{".value":1,".priority":1},"a":1}"#, #"{".x":1}"#, #"{".":1}"#, #"{"fo$o":1}"#, #"{"a":{"b.":1}}"#,
    #"{"a/b":1}"#, #"{"":1}"#,
  ])
  func `what Firebase refuses is refused`(text: String) {
    let error = #expect(throws: TreeError.self) { try NewValue(json: text) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `an error names the path`() {
    let error = #expect(throws: TreeError.self) { try NewValue(json: #"{"a":[0,{"b":{".value":1,"c":2}}]}"#) }
    #expect(error?.context.contains("\"/a/1/b\"") == true)
  }

  @Test func `the names of an update are paths`() throws {
    let updates = try NewValue.updates(json: Array(#"{"a/b":1,"c":null,"d/.priority":3}"#.utf8))
    #expect(updates.map(\.path) == ["a/b", "c", "d/.priority"])
    #expect(updates.map(\.value) == [leaf(.int(1)), .null, leaf(.int(3))])
    #expect(throws: TreeError.self) { try NewValue.updates(json: Array("[1]".utf8)) }
    #expect(throws: TreeError.self) { try NewValue.updates(json: Array("{} 1".utf8)) }
  }

  @Test func `an increment is a finite number`() throws {
    #expect(throws: TreeError.self) { try NewValue.increment(.string("1")) }
    #expect(throws: TreeError.self) { try NewValue.increment(.double(.nan)) }
    #expect(try NewValue.increment(.double(-0.0)) == NewValue(content: .increment(.double(0))))
  }
}
