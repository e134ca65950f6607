/// Makes models of made-up values: all alike, but for one child, which is another one.
struct ProbeDecoder: Decoder {
  /// The children that were asked for.
  final class Seen {
    var names: Set<[String]> = []

    /// Those without another one inside, in an order that is always the same.
    var leaves: [[String]] {
      let inner = names.reduce(into: Set<[String]>()) { $0.insert(Array($1.dropLast())) }
      return names.subtracting(inner).sorted { $0.lexicographicallyPrecedes($1) }
    }
  }

  let decoder: TreeDecoder
  let seen = Seen()
  /// The child that is another one, if there is one.
  let marked: [String]?
  fileprivate var names: [String] = []
  fileprivate var trail = CodingTrail()
  private let parent: Seen?

  init(_ decoder: TreeDecoder, marked: [String]? = nil) {
    self.decoder = decoder
    self.marked = marked
    parent = nil
  }

  private init(_ outer: ProbeDecoder, _ key: any CodingKey, _ name: String) {
    (decoder, marked, parent) = (outer.decoder, outer.marked, outer.parent ?? outer.seen)
    names = outer.names + [name]
    trail = outer.trail.child(key, name)
  }

  var codingPath: [any CodingKey] { trail.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

  /// Is this the marked child, or inside of it?
  var isMarked: Bool { marked.map { names.starts(with: $0) } ?? false }
  /// Is the marked child here, or inside?
  var leadsToMark: Bool { marked.map { $0.starts(with: names) || names.starts(with: $0) } ?? false }

  func child(_ key: any CodingKey, isDictionary: Bool = false) -> ProbeDecoder {
    let name = isDictionary ? key.stringValue : decoder.keyDecodingStrategy.name(of: key, below: trail)
    let child = ProbeDecoder(self, key, name)
    (parent ?? seen).names.insert(child.names)
    return child
  }

  func container<Name: CodingKey>(keyedBy type: Name.Type) -> KeyedDecodingContainer<Name> {
    KeyedDecodingContainer(KeyedProbe<Name>(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { UnkeyedProbe(decoder: self) }
  func singleValueContainer() -> any SingleValueDecodingContainer { SingleProbe(decoder: self) }
}

extension ProbeDecoder {
  /// Texts that no common way of working out leaves as they are.
  var text: String { isMarked ? " Probe 5\u{E9} " : " Probe 3\u{E8} " }
  var number: UInt8 { isMarked ? 5 : 3 }

  func unbox<T: Decodable>(_ type: T.Type) throws -> T {
    if let value = try decoder.special(type, self) { return value }
    if let type = type as? any CaseIterable.Type, let value = someCase(type) as? T { return value }
    return try T(from: self)
  }

  private func someCase<C: CaseIterable>(_ type: C.Type) -> Any? {
    var cases = C.allCases.makeIterator()
    let first = cases.next()
    return isMarked ? cases.next() ?? first : first
  }
}

private struct KeyedProbe<Name: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ProbeDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  /// Of a dictionary, one entry where it is the marked child.
  var allKeys: [Name] { decoder.isMarked ? [Name(stringValue: "1")].compactMap { $0 } : [] }

  func contains(_ name: Name) -> Bool { decoder.child(name).leadsToMark }
  func decodeNil(forKey name: Name) -> Bool { !decoder.child(name).leadsToMark }
  func decode(_ type: Bool.Type, forKey name: Name) -> Bool { decoder.child(name).isMarked }
  func decode(_ type: String.Type, forKey name: Name) -> String { decoder.child(name).text }
  func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type, forKey name: Name) -> I {
    I(decoder.child(name).number)
  }
  func decode<F: BinaryFloatingPoint & Decodable>(_ type: F.Type, forKey name: Name) -> F {
    F(decoder.child(name).number)
  }
  func decode<T: Decodable>(_ type: T.Type, forKey name: Name) throws -> T { try decoder.child(name).unbox(type) }
  func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type, forKey name: Name) -> KeyedDecodingContainer<Inner> {
    decoder.child(name).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey name: Name) -> any UnkeyedDecodingContainer {
    decoder.child(name).unkeyedContainer()
  }
  func superDecoder() -> any Decoder { decoder.child(NameCodingKey.superKey) }
  func superDecoder(forKey name: Name) -> any Decoder { decoder.child(name) }
}

/// Empty, or of one element where it is the marked child.
private struct UnkeyedProbe: UnkeyedDecodingContainer {
  let decoder: ProbeDecoder
  var currentIndex = 0

  init(decoder: ProbeDecoder) { self.decoder = decoder }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.isMarked ? 1 : 0 }
  var isAtEnd: Bool { currentIndex >= count ?? 0 }

  private mutating func next() -> ProbeDecoder {
    defer { currentIndex += 1 }
    return decoder.child(IndexCodingKey(currentIndex))
  }

  mutating func decodeNil() -> Bool { false }
  mutating func decode(_ type: Bool.Type) -> Bool { next().isMarked }
  mutating func decode(_ type: String.Type) -> String { next().text }
  mutating func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type) -> I { I(next().number) }
  mutating func decode<F: BinaryFloatingPoint & Decodable>(_ type: F.Type) -> F { F(next().number) }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().unbox(type) }
  mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedDecodingContainer<Inner> {
    next().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { next().unkeyedContainer() }
  mutating func superDecoder() -> any Decoder { next() }
}

private struct SingleProbe: SingleValueDecodingContainer {
  let decoder: ProbeDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { !decoder.leadsToMark }
  func decode(_ type: Bool.Type) -> Bool { decoder.isMarked }
  func decode(_ type: String.Type) -> String { decoder.text }
  func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type) -> I { I(decoder.number) }
  func decode<F: BinaryFloatingPoint & Decodable>(_ type: F.Type) -> F { F(decoder.number) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.unbox(type) }
}
