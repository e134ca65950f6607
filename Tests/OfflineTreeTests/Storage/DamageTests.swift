import OfflineTree
import Testing

@Suite struct DamageTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let store = try folder.openStore(mapSize: 8 << 20)
    try store.write { (transaction) throws in
      for number in 0..<200 { try transaction.put(.log, numberKey(number), Array("record \(number).".utf8)) }
    }
    try store.write { try $0.put(.meta, [1], [1]) }
  }

  private var file: String { "\(folder.path)/data.mdb" }

  private func change(_ body: (inout [UInt8]) throws -> Void) throws {
    var bytes = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    try body(&bytes)
    try FileSystem.writeFileDurably(file, bytes)
  }

  @Test func `a byte that flipped in a record is found by get and by cursors`() throws {
    try change { bytes in
      let text = Array("record 123.".utf8)
      let places = bytes.indices.filter { bytes[$0...].starts(with: text) }
      try #require(!places.isEmpty)
      for place in places { bytes[place + 7] ^= 0x10 }
    }
    let store = try folder.openStore()
    try store.read { (transaction) throws in
      #expect(errorCode { try transaction.get(.log, numberKey(123)) } == .damaged)
      #expect(try transaction.get(.log, numberKey(122)) == Array("record 122.".utf8))
      let message = errorMessage { try transaction.get(.log, numberKey(123)) }
      #expect(message.contains("log") && message.contains(hexadecimal(numberKey(123))))
      let walked = errorCode {
        try transaction.withCursor(.log) { (cursor) throws(TreeError) in while try cursor.next() {} }
      }
      #expect(walked == .damaged)
    }
  }

  private func errorMessage(_ body: () throws -> some Any) -> String {
    do {
      return "no error: \(try body())"
    } catch {
      return "\(error)"
    }
  }

  @Test func `equal values at other keys or in other tables have other checksums`() throws {
    let store = try folder.openStore()
    let sealed = Array("record 0.".utf8)
    try store.write { (transaction) throws in
      try transaction.put(.log, numberKey(0), sealed)
      try transaction.put(.run, numberKey(0), sealed)
      try transaction.put(.log, numberKey(1), sealed)
    }

    let bytes = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    let ends = Set(
      bytes.indices.filter { bytes[$0...].starts(with: sealed) }.map { Array(bytes[($0 + 9)..<($0 + 13)]) })
    #expect(ends.count == 3)
  }

  /// What is changed in the file's head: a name, the offset in each of the two meta pages, and what is written there.
  static let heads: [(String, Int, [UInt8], TreeError.Code)] = [
    ("magic", 16, [0, 0, 0, 0], .damaged), ("flags", 10, [2, 0], .damaged),
    ("version", 20, [9, 0, 0, 0], .unsupportedVersion), ("page size", 40, [1, 2, 3, 4], .damaged),
    ("root", 128, [0, 0, 0, 0, 1, 0, 0, 0], .damaged),
    ("last page", 136, [255, 255, 255, 255, 255, 255, 255, 0], .damaged),
  ]

  @Test(arguments: heads) func `a damaged head is an error, and no crash`(
    name: String, offset: Int, bytes: [UInt8], code: TreeError.Code
  ) throws {
    try change { file in
      for page in [0, 4_096] { file.replaceSubrange(page + offset..<page + offset + bytes.count, with: bytes) }
    }
    #expect(errorCode { try folder.openStore() } == code, "\(name)")
  }

  @Test(arguments: [1, 100, 4_096, 5_000, 8_192, 12_288]) func `a file that was cut is an error, and no crash`(
    size: Int
  ) throws {
    try change { $0.removeLast($0.count - size) }
    let code = errorCode {
      let store = try folder.openStore()
      try store.read { (transaction) throws in
        for number in 0..<200 { _ = try transaction.get(.log, numberKey(number)) }
      }
    }
    #expect(code == .damaged)
  }

  @Test func `a closure that meets a damaged page hurts only itself`() throws {
    try change { bytes in
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("record 150.".utf8)) })
      let page = place / 4_096 * 4_096
      bytes.replaceSubrange(page..<page + 4_096, with: [UInt8](repeating: 0, count: 4_096))
    }
    let queue = try WriteQueue<Int>(folder.openStore(), load: { _ in 0 })
    try queue.submit { transaction, _ in try transaction.put(.meta, [2], [2]) }
    let code = errorCode {
      try queue.submit { transaction, state in
        state += 1
        try transaction.put(.meta, [3], [3])
        for number in 0..<200 { _ = try? transaction.get(.log, numberKey(number)) }
      }
    }
    #expect(code == .damaged)
    let (state, count) = try queue.submit { transaction, state in
      try transaction.put(.meta, [4], [4])
      return (state, try transaction.count(.meta))
    }
    #expect(state == 0)
    #expect(count == 3)
  }

  @Test func `text in place of the database is an error`() throws {
    try FileSystem.writeFileDurably(file, Array("not a database".utf8))
    #expect(errorCode { try folder.openStore() } == .damaged)
  }

  @Test func `an empty file becomes a database`() throws {
    try FileSystem.writeFileDurably(file, [])
    #expect(try folder.openStore().read { try $0.isEmpty(.log) })
  }
}
