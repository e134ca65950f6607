/// A set of small integers.
package struct BitSet: Equatable, Sendable {
  private var words: [UInt64] = []

  package init() {}

  package func contains(_ index: Int) -> Bool {
    index >> 6 < words.count && words[index >> 6] >> UInt64(index & 63) & 1 == 1
  }

  package mutating func insert(_ index: Int) {
    while words.count <= index >> 6 { words.append(0) }
    words[index >> 6] |= 1 << UInt64(index & 63)
  }

  package mutating func formUnion(_ other: BitSet) {
    while words.count < other.words.count { words.append(0) }
    for index in other.words.indices { words[index] |= other.words[index] }
  }

  package func union(_ other: BitSet) -> BitSet {
    var copy = self
    copy.formUnion(other)
    return copy
  }
}
