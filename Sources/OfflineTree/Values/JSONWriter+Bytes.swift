/// Texts that are UTF-8 already: strings and keys as rows hold them.
extension JSONWriter {
  /// Appends the quoted and escaped form of UTF-8 text.
  mutating func quote(_ text: RawSpan) {
    bytes.append(UInt8(ascii: "\""))
    let utf8 = Span<UInt8>(_bytes: text)
    var start = 0
    while true {
      let end = UTF8Text.plainEnd(in: utf8, from: start)
      append(text.extracting(start..<end))
      if end == text.byteCount { break }
      escape(utf8[end])
      start = end + 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func string(utf8 text: RawSpan) {
    beginItem()
    quote(text)
  }

  /// The name that a component of a row's key stands for.
  mutating func key(component: RawSpan) {
    beginItem()
    if PathKey.isInteger(component) {
      // An integer needs no escape.
      bytes.append(UInt8(ascii: "\""))
      PathKey.appendInteger(of: component, to: &bytes)
      bytes.append(UInt8(ascii: "\""))
    } else {
      let first = bytes.count
      quote(PathKey.content(of: component))
      for index in first..<bytes.count where bytes[index] >= 0xFB { bytes[index] = UTF8Text.unordered(bytes[index]) }
    }
    endKey()
  }

  /// Appends the digits of an integer.
  mutating func append(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var (low, rest) = (bytes.count, value.magnitude)
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var high = bytes.count - 1
    while low < high {
      bytes.swapAt(low, high)
      (low, high) = (low + 1, high - 1)
    }
  }

  @inline(__always)
  private mutating func append(_ text: RawSpan) {
    unsafe text.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0..<0x20:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(contentsOf: hexadecimal([byte]).utf8)
    default: bytes.append(byte)
    }
  }
}
