/// Consecutive changes of one log on their way into one row of the table `run`.
///
/// ```
/// key    log index u32 big-endian ‖ number of the first change u64 big-endian
/// value  hash before the first 32 ‖ count u32 ‖ end of each change, counted from the first one's start, u32 ‖ changes
/// ```
struct OpenRun: Sendable {
  let log: Int
  let first: UInt64
  let hashBefore: Bytes32
  private(set) var ends: [UInt32] = []
  private(set) var bytes: [UInt8] = []

  /// A row is closed when its changes have this many bytes.
  static let closingBytes = 64 << 10

  init(log: Int, first: UInt64, hashBefore: Bytes32) {
    self.log = log
    self.first = first
    self.hashBefore = hashBefore
  }

  var next: UInt64 { first + UInt64(ends.count) }

  mutating func append(_ body: ArraySlice<UInt8>) {
    bytes.append(contentsOf: body)
    ends.append(UInt32(bytes.count))
  }

  var row: [UInt8] {
    var writer = ByteWriter(capacity: 36 + 4 * ends.count + bytes.count)
    writer.append(hashBefore)
    writer.u32(UInt32(ends.count))
    for end in ends { writer.u32(end) }
    writer.append(bytes)
    return writer.bytes
  }
}
