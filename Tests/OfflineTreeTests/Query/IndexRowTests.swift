import TestSupport
import Testing

@testable import OfflineTree

/// The bytes of index rows are in the order of the values, and say what they are.
@Suite struct IndexRowTests {
  private static func values(_ random: inout SeededRandom) -> [IndexValue] {
    var values: [IndexValue] = [.null, .object, .scalar(.bool(true)), .scalar(.bool(false))]
    let edges: [Int64] = [
      0, 1, -1, 1 << 53, (1 << 53) + 1, (1 << 53) - 1, .max, .max - 1, .max - 1_023, .min, .min + 1,
    ]
    for edge in edges {
      values += [.scalar(.int(edge)), .scalar(.double(Double(edge))), .scalar(.double(-Double(edge) + 0))]
    }
    for double in [0.5, -0.5, 1e308, -1e308, .leastNonzeroMagnitude, 0x1p63, 0x1p64] {
      values.append(.scalar(.double(double)))
    }
    for _ in 0..<30 {
      values.append(.scalar(.int(Int64.random(in: .min ... .max, using: &random))))
      values.append(.scalar(.int(Int64.random(in: -3...3, using: &random) + (1 << 60))))
      values.append(
        .scalar(.double(Double(bitPattern: random.next()).isFinite ? Double.random(in: -9...9, using: &random) : 1)))
    }
    for text in ["", "a", "a\0", "a\0b", "\0", "\0\0", "\u{1}", "a\u{1}", "ab", "é", "\u{E000}", "\u{FFFF}", "😀"] {
      values.append(.scalar(.string(text)))
    }
    for _ in 0..<30 { values.append(.scalar(.string(random.keyText()))) }
    for count in 186...194 {
      for end in ["", "a", "\0", "b", "\0\0"] {
        values.append(.scalar(.string(String(repeating: "x", count: count) + end)))
      }
    }
    return values
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `byte order is the order of values, strings that are cut aside`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let values = Self.values(&random)
    for left in values {
      for right in values {
        let (a, b) = (IndexRow.ordered(left), IndexRow.ordered(right))
        if IndexRow.isCut(a), IndexRow.isCut(b), a == b { continue }
        let order: Comparison = a == b ? .same : a.lexicographicallyPrecedes(b) ? .ascending : .descending
        #expect(order == left.compared(to: right), "\(left) \(right)")
        #expect(a == b || !b.starts(with: a), "\(left) begins \(right)")
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a row says its value and its child`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let child = PathKey("jokes/-KaQYfs3kbt4XgDY0ftb")
    for value in Self.values(&random) {
      let key = IndexRow.key(3, child, value)
      let row = try unsafe IndexRow.decode(key.span.bytes, IndexRow.content(value).span.bytes)
      #expect(row.value == (IndexRow.isCut(IndexRow.ordered(value)) ? nil : value))
      #expect(PathKey(trusted: Array(key[row.child...])) == PathKey("-KaQYfs3kbt4XgDY0ftb"))
    }
  }

  @Test func `the longest row fits into the table`() throws {
    let long = String(repeating: "k", count: Limits.pathBytes - 1)
    let key = IndexRow.key(.max, PathKey(long), .scalar(.string(String(repeating: "\0", count: 400))))
    #expect(key.count <= PathTable.keyBytes)
  }

  @Test(arguments: [
    ("jokes", "jokes/a", "jokes/a"), ("jokes", "jokes/a/b", "jokes/a"), ("jokes", "jokes", nil),
    ("jokes", "joke/a", nil),
    ("users/$u/jokes", "users/1/jokes/2/3", "users/1/jokes/2"), ("users/*/jokes", "users/1/likes/2", nil),
    ("users/*/jokes", "users/1/jokes", nil), ("", "a/b", "a"), ("*", "a/b", "a/b"), ("*", "a", nil),
  ])
  func `a pattern finds the child that a path is in`(_ pattern: String, _ path: String, _ child: String?) throws {
    #expect(try IndexPattern(pattern).child(of: PathKey(path)) == child.map { PathKey($0) })
  }
}
