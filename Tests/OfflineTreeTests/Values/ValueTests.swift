import OfflineTree
import Testing

struct ValueTests {
  @Test func `members stand in key order, and null ones do not exist`() throws {
    let value: Value = ["b": 1, "10": true, "9": .null, "2": "x", "a": ["deep": .null]]
    #expect(value.object?.keys.map(\.text) == ["2", "10", "b"])
    #expect(value["10"] == true)
    #expect(value["9"] == .null)
    #expect(value["no.key"] == .null)
    #expect(value[try Key("b")] == 1)
    let deep: Value = ["a": ["b": ["c": 1.5]]]
    #expect(deep[try Path("a/b/c")] == 1.5)
    #expect(deep[try Path("a/x/c")].isNull)
  }

  @Test func `an empty object and an empty array are null`() {
    #expect(([:] as Value).isNull)
    #expect(([] as Value).isNull)
    #expect((["a": [:], "b": [.null, .null]] as Value).isNull)
  }

  @Test func `an array is an object of its indexes`() {
    let value: Value = ["a", .null, ["b"]]
    #expect(value == ["0": "a", "2": ["0": "b"]])
  }

  @Test func `of a key's rivals the last one counts`() throws {
    let (a, b) = (try Key("a"), try Key("b"))
    #expect(Value(members: [(key: a, value: 1), (key: b, value: 2), (key: a, value: 3)]) == ["a": 3, "b": 2])
    #expect(Value(members: [(key: a, value: 1), (key: a, value: .null)]).isNull)
    #expect(Value(members: [(key: a, value: .null), (key: a, value: 1)]) == ["a": 1])
  }

  @Test func `every member is found among many`() throws {
    let keys = try (0..<500).map { try Key("k\($0)") }
    let value = Value(members: keys.shuffled().map { (key: $0, value: Value.string($0.text)) })
    for key in keys { #expect(value[key] == .string(key.text)) }
    for text in ["k500", "0", "k"] { #expect(value[try Key(text)].isNull) }
  }

  @Test func `equality tells kinds and bytes apart`() {
    #expect(Value.int(1) != .double(1))
    #expect(Value.null != false)
    #expect(Value.string("\u{E9}") != .string("e\u{301}"))
    #expect((["a": 1] as Value) != ["a": 2])
    #expect((["a": 1] as Value) != 1)
  }
}
