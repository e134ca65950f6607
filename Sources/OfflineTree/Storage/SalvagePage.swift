/// One page of LMDB's data file.
///
/// ```
/// 0    number u64      8   pad u16      10  flags u16
/// 12   lower u16, upper u16: the end of the list of nodes, and the lowest node; or the count of overflow pages u32
/// 16   offsets of nodes u16, in the order of their keys
/// node low u16 ‖ high u16 ‖ flags u16 ‖ length of the key u16 ‖ key ‖ value
/// ```
/// In a leaf, low and high are the value's length, and a value on pages of its own is replaced by the first one's
/// number; in a branch, low, high and flags are the number of the page below.
struct SalvagePage {
  let number: UInt64
  let bytes: [UInt8]

  enum Flag {
    static let branch: UInt64 = 1
    static let leaf: UInt64 = 2
    static let overflow: UInt64 = 4
    /// Set while a page is written; it may stay in the file.
    static let dirty: UInt64 = 16
  }

  enum NodeFlag {
    /// The value stands on pages of its own.
    static let big = 1
    /// The value is the head of a tree.
    static let tree = 2
  }

  static let headBytes = 16
  static let nodeBytes = 8

  struct Node {
    let key: ArraySlice<UInt8>
    let flags: Int
    /// Bytes of the value.
    let count: Int
    /// The value, or the number of the page where it begins.
    let data: ArraySlice<UInt8>
    /// In a branch: the page below.
    let below: UInt64
  }

  /// Number and kind, as the page itself says.
  var statedNumber: UInt64 { bytes[...].number(0, 8) }
  var flags: UInt64 { bytes[...].number(10, 2) & ~Flag.dirty }
  /// How many pages an overflow page says that it has.
  var overflowPages: UInt64 { bytes[...].number(12, 4) }
  var lower: Int { Int(bytes[...].number(12, 2)) }
  var upper: Int { Int(bytes[...].number(14, 2)) }
  /// Nodes, if the head is right.
  var nodeCount: Int { (lower - Self.headBytes) / 2 }

  var isHeadSound: Bool {
    lower >= Self.headBytes && lower.isMultiple(of: 2) && lower <= upper && upper <= bytes.count
  }

  func offset(_ index: Int) -> Int { Int(bytes[...].number(Self.headBytes + 2 * index, 2)) }

  /// The node at an offset; nil if it does not lie in the page.
  func node(at offset: Int, isBranch: Bool) -> Node? {
    guard offset >= Self.headBytes, offset + Self.nodeBytes <= bytes.count else { return nil }
    let head = bytes[offset..<offset + Self.nodeBytes]
    let (low, flags) = (head.number(0, 4), Int(head.number(4, 2)))
    let start = offset + Self.nodeBytes
    let keyEnd = start + Int(head.number(6, 2))
    guard keyEnd <= bytes.count else { return nil }
    if isBranch {
      let below = low | UInt64(flags) << 32
      return Node(key: bytes[start..<keyEnd], flags: 0, count: 0, data: [], below: below)
    }
    let isBig = flags & NodeFlag.big != 0
    let end = keyEnd + (isBig ? 8 : Int(low))
    guard end <= bytes.count else { return nil }
    return Node(key: bytes[start..<keyEnd], flags: flags, count: Int(low), data: bytes[keyEnd..<end], below: 0)
  }

  /// Every node that can be made out, for a page of which anything may be wrong: offsets are believed as long as they
  /// lie in the page, whatever the head says.
  var looseNodes: [Node] {
    var nodes: [Node] = []
    for index in 0..<(bytes.count - Self.headBytes) / 2 {
      let offset = offset(index)
      if offset < Self.headBytes || offset >= bytes.count {
        if isHeadSound, index < nodeCount { continue }
        break
      }
      if let node = node(at: offset, isBranch: false) { nodes.append(node) }
    }
    return nodes
  }
}

extension SalvageFile {
  /// A value that stands on pages of its own; nil if the file does not reach that far.
  func value(of node: SalvagePage.Node) throws(TreeError) -> ArraySlice<UInt8>? {
    if node.flags & SalvagePage.NodeFlag.big == 0 { return node.data }
    let page = node.data.number(0, 8)
    guard page >= 2, page < pageCount, UInt64(node.count) <= byteCount else { return nil }
    let offset = page * UInt64(pageSize) + UInt64(SalvagePage.headBytes)
    let bytes = try bytes(at: offset, count: node.count)
    return bytes.count == node.count ? bytes[...] : nil
  }

  /// The value of a record, if its checksum says that it is one of that table.
  func unsealed(_ node: SalvagePage.Node, _ table: Table, _ record: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let isSound = unsafe node.key.withUnsafeBytes { key in
      unsafe record.withUnsafeBytes { value in unsafe Checksum.fits(table, key, value) }
    }
    return isSound ? unsafe record.dropLast(Checksum.bytes) : nil
  }
}
