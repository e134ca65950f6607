/// Bytes that say what to do as well as what to decode.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next byte; 0 behind the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// The low half of the next byte, so that text can begin with a digit.
  mutating func choice() -> UInt8 { byte() & 15 }

  /// The rest in pieces: whole for 0, byte by byte for 1, else of lengths that follow from `seed`.
  func pieces(_ seed: UInt8) -> [ArraySlice<UInt8>] {
    if seed == 0 { return [rest] }
    var pieces: [ArraySlice<UInt8>] = []
    var cuts = Cuts(seed)
    var rest = rest
    while !rest.isEmpty {
      let piece = rest.prefix(cuts.next())
      pieces.append(piece)
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }
}

/// Lengths from 1 to some hundreds that follow from a seed (splitmix64).
struct Cuts {
  private var state: UInt64
  private let largest: UInt64

  init(_ seed: UInt8) {
    state = UInt64(seed)
    largest = UInt64(seed) * UInt64(seed)
  }

  mutating func next() -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return 1 + Int((value ^ (value >> 31)) % max(largest, 1))
  }
}
