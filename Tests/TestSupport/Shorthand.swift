package import OfflineTree

extension PathKey {
  /// A path of a test, which is known to be one.
  package init(_ text: String) {
    do {
      self.init(try Path(text))
    } catch {
      preconditionFailure("\(text) is no path: \(error)")
    }
  }
}

extension Key {
  /// A key of a test, which is known to be one.
  package static func of(_ text: String) -> Key {
    do {
      return try Key(text)
    } catch {
      preconditionFailure("\(text) is no key: \(error)")
    }
  }
}

extension Operation {
  package static func clear(_ path: String) -> Operation { .clear(PathKey(path)) }
  package static func put(_ path: String, _ value: Scalar) -> Operation { .put(PathKey(path), value) }
  package static func increment(_ path: String, by number: Scalar) -> Operation {
    .increment(PathKey(path), by: number)
  }
  package static func put(_ path: String, _ value: Int64) -> Operation { .put(PathKey(path), .int(value)) }
  package static func increment(_ path: String, by number: Int64) -> Operation {
    .increment(PathKey(path), by: .int(number))
  }
  package static func vote(_ path: String, voter: String, choice: Int8) -> Operation {
    .vote(PathKey(path), voter: Key.of(voter), choice: choice)
  }
  package static func priority(_ path: String, _ value: Scalar?) -> Operation { .priority(PathKey(path), value) }
}

extension Stamp {
  package static func at(_ milliseconds: UInt64, _ counter: UInt16 = 0) -> Stamp {
    Stamp(milliseconds: milliseconds, counter: counter)
  }
}

extension SeededRandom {
  /// An operation on one of a few paths, so that operations meet.
  package mutating func operation(paths: [String] = ["a", "a/b", "a/b/c", "a/d", "e", "e/f", ""]) -> Operation {
    let path = pick(paths)
    switch Int.random(in: 0..<9, using: &self) {
    case 8: return .file(fileName(), fileContent())
    case 0: return .clear(path)
    case 1, 2: return .put(path, pick([.int(1), .int(2), .string("s"), .bool(true), .double(0.5)]))
    case 3, 4: return .increment(path, by: pick([.int(1), .int(-1), .double(0.25), .int(.max), .double(1e308)]))
    case 5: return .priority(path, pick([nil, .int(1), .string("p")]))
    default:
      return .vote(path, voter: pick(["u", "v"]), choice: pick([-1, 0, 1, 1]))
    }
  }
}
