import OfflineTree
import Testing

struct ByteReaderTests {
  @Test func `what was written is read back`() throws {
    var writer = ByteWriter()
    writer.u8(0xAB)
    writer.u16(0x1234)
    writer.u32(0x1234_5678)
    writer.u64(0x0123_4567_89AB_CDEF)
    writer.zigzag(-3)
    writer.append(Bytes16(0..<16))
    writer.append(Bytes32(100..<132))
    writer.prefixed("ü")
    #expect(Array(writer.bytes[..<7]) == [0xAB, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12])
    var reader = ByteReader(writer.bytes)
    #expect(try reader.u8("a") == 0xAB)
    #expect(try reader.u16("b") == 0x1234)
    #expect(try reader.u32("c") == 0x1234_5678)
    #expect(try reader.u64("d") == 0x0123_4567_89AB_CDEF)
    #expect(try reader.zigzag("e") == -3)
    #expect(try reader.bytes16("f") == Bytes16(0..<16))
    #expect(try reader.bytes32("g") == Bytes32(100..<132))
    #expect(try Array(reader.prefixed("h", limit: 2)) == Array("ü".utf8))
    try reader.finish("all")
  }

  @Test(
    arguments: [
      (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 1]),
      (UInt64.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
    ] as [(UInt64, [UInt8])])
  func `a varint has one form`(value: UInt64, bytes: [UInt8]) throws {
    var writer = ByteWriter()
    writer.varint(value)
    #expect(writer.bytes == bytes)
    var reader = ByteReader(bytes)
    #expect(try reader.varint("a number") == value)
    #expect(reader.isAtEnd)
  }

  @Test(
    arguments: [
      [], [0x80], [0x80, 0], [0xFF, 0x80, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
    ] as [[UInt8]])
  func `a varint that is cut off, too long or too large is damage`(bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    let error = #expect(throws: TreeError.self) { try reader.varint("the count of parents") }
    #expect(error?.code == .damaged)
    #expect(error?.context.contains("the count of parents") == true)
    #expect(reader.position == 0)
  }

  @Test(arguments: [Int64.min, -2, -1, 0, 1, 63, 64, Int64.max])
  func `signed numbers survive zigzag`(value: Int64) throws {
    var writer = ByteWriter()
    writer.zigzag(value)
    var reader = ByteReader(writer.bytes)
    #expect(try reader.zigzag("a number") == value)
  }

  @Test func `a slice is read by its own bounds`() throws {
    let bytes: [UInt8] = [9, 9, 1, 2, 3, 9]
    var reader = ByteReader(bytes, 2..<5)
    #expect(try reader.u8("one") == 1)
    #expect(Array(try reader.bytes(2, "two")) == [2, 3])
    #expect(reader.position == 3)
    #expect(Array(reader.slice(since: 1)) == [2, 3])
    #expect(throws: TreeError.self) { try reader.u8("beyond") }
  }

  @Test(arguments: [-1, Int.min]) func `nothing is within a limit below 0`(limit: Int) {
    var reader = ByteReader([0, 1])
    let error = #expect(throws: TreeError.self) { try reader.count("a place", limit: limit) }
    #expect(error?.code == .damaged)
    #expect(throws: TreeError.self) { try reader.prefixed("a name", limit: limit) }
    #expect(reader.remaining == 2)
  }

  @Test func `a length beyond what is there keeps nothing and moves nothing`() {
    var reader = ByteReader([5, 1, 2])
    #expect(throws: TreeError.self) { try reader.prefixed("a name", limit: 100) }
    #expect(throws: TreeError.self) { try reader.prefixed("a name", limit: 4) }
    #expect(throws: TreeError.self) { try reader.bytes(-1, "a run") }
    #expect(throws: TreeError.self) { try reader.finish("a record") }
    #expect(reader.remaining == 3)
  }
}
