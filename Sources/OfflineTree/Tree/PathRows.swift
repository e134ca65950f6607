/// Row keys that are not paths: big-endian, so that rows stand in the order of their numbers.
enum RowKey {
  static func of(_ log: Int) -> [UInt8] { bigEndian(UInt64(log), bytes: 4) }

  static func of(_ log: Int, _ seq: UInt64) -> [UInt8] { of(log) + bigEndian(seq, bytes: 8) }

  static func counter(_ counter: UInt64) -> [UInt8] { bigEndian(counter, bytes: 8) }

  static func part(_ counter: UInt64, _ log: Int) -> [UInt8] { self.counter(counter) + of(log) }

  /// A voter's row at a counter. A long name is replaced by its hash, since LMDB's keys end at 511 bytes.
  static func vote(_ counter: UInt64, _ voter: Key) -> [UInt8] {
    let name = voter.utf8
    return self.counter(counter) + (name.count <= 400 ? [0] + name : [1] + Sodium.hash32(name).bytes)
  }

  static func commit(_ number: UInt64) -> [UInt8] { bigEndian(number, bytes: 8) }

  static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  private static func bigEndian(_ number: UInt64, bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (bytes - 1 - $0))) }
  }
}
