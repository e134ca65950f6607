package import OfflineTree

/// One call of a write transaction, as data.
package enum Action: Sendable {
  case set(Path, NewValue)
  case update(Path, [(Path, NewValue)])
  case remove(Path)
  case increment(Path, Scalar)
  case vote(Path, Key, Int)
  case priority(Path, Scalar?)
  case push(Path, NewValue)
  case file(FileName, FileContent?)

  package func perform(in transaction: WriteTransaction) throws {
    switch self {
    case .set(let path, let value): try transaction.setValue(value, at: path)
    case .update(let path, let children): try transaction.updateChildren(children, at: path)
    case .remove(let path): try transaction.removeValue(at: path)
    case .increment(let path, let number): try transaction.increment(path, by: number)
    case .vote(let path, let voter, let choice): try transaction.vote(path, voter: voter, choice: choice)
    case .priority(let path, let value): try transaction.setPriority(value, at: path)
    case .file(let name, let content): transaction.setFile(name, content)
    case .push(let path, let value): _ = try transaction.push(value, to: path)
    }
  }
}

extension Database {
  /// One change of these actions.
  /// - Returns: Whether it was written; false if it must be refused.
  @discardableResult
  package func write(_ actions: [Action]) throws -> Bool {
    do {
      try write { transaction in for action in actions { try action.perform(in: transaction) } }
      return true
    } catch let error as TreeError where error.code == .refused || error.code == .invalidArgument {
      return false
    }
  }
}

extension SeededRandom {
  private static let paths = ["a", "b", "a/x", "a/y", "a/x/m", "a/x/n", "b/z", "c"]

  private mutating func path() -> Path { PathKey(pick(SeededRandom.paths)).path }

  private mutating func scalar() -> Scalar {
    pick([.int(0), .int(1), .int(7), .int(-3), .double(2.5), .bool(true), .bool(false), .string("s"), .string("")])
  }

  private mutating func amount() -> Scalar {
    pick([.int(1), .int(1), .int(2), .int(-1), .double(0.1), .double(0.7), .int(1 << 62), .double(1e308)])
  }

  /// Names below each other, with what keys cannot have.
  package mutating func fileName() -> FileName {
    do throws(TreeError) {
      return try FileName(pick(["a", "a/x.jpg", "a/7", "$b.#"]))
    } catch {
      preconditionFailure("no name of a file: \(error)")
    }
  }

  package mutating func fileContent() -> FileContent? {
    if chance(25) { return nil }
    let hash = Bytes32(repeatElement(UInt8.random(in: 0..<4, using: &self), count: 32))
    return FileContent(manifest: hash, length: pick([0, 1, 1 << 30]), type: pick(["", "image/jpeg"]))
  }

  private mutating func joke() -> NewValue {
    let text = NewValue(Scalar.string(pick(["p", "q", "r"])))
    let votes = NewValue(Scalar.int(0))
    return NewValue(members: [NewValue.Member(.of("text"), text), NewValue.Member(.of("votes"), votes)])
  }

  private mutating func object() -> NewValue {
    var members: [NewValue.Member] = []
    for key in ["x", "y", "m", "z"] where chance(40) {
      var value = NewValue(scalar())
      if chance(15) { value = .timestamp }
      if chance(15) { value = NewValue(content: .increment(amount())) }
      if chance(15) { value = NewValue(members: [NewValue.Member(.of("m"), NewValue(scalar()))]) }
      if chance(10) { value.priority = .scalar(pick([.int(1), .string("p")])) }
      members.append(NewValue.Member(.of(key), value))
    }
    return NewValue(members: members)
  }

  /// A call that a person might make. `own` are the elements of the `own` set that the writer knows.
  package mutating func action(own: [Key]) -> Action {
    let voter = Key.of(pick(["u", "v", "w"]))
    switch Int.random(in: 0..<100, using: &self) {
    case 0..<18: return .set(path(), NewValue(scalar()))
    case 18..<28: return .set(path(), object())
    case 28..<32: return .update(path(), [(PathKey("u").path, NewValue(scalar())), (PathKey("v/w").path, object())])
    case 32..<42: return .remove(path())
    case 42..<58: return .increment(path(), amount())
    case 58..<66: return .vote(path(), voter, pick([-1, 0, 1, 1]))
    case 66..<70: return .file(fileName(), fileContent())
    case 70..<74: return .priority(path(), pick([nil, .int(1), .double(2.5), .string("p")]))
    case 74..<79: return .push(PathKey("own").path, joke())
    case 79..<84: return .set(PathKey("open/\(pick(["j1", "j2", "j3"]))").path, joke())
    case 84..<92: return .vote(PathKey("open/\(pick(["j1", "j2", "j3"]))/votes").path, voter, pick([-1, 0, 1, 1]))
    default:
      guard !own.isEmpty else { return .push(PathKey("own").path, joke()) }
      let joke = "own/\(pick(own).text)"
      if chance(60) { return .vote(PathKey("\(joke)/votes").path, voter, pick([-1, 0, 1, 1])) }
      if chance(50) { return .increment(PathKey("\(joke)/\(pick(["votes", "text"]))").path, amount()) }
      return .priority(PathKey(joke).path, .int(1))
    }
  }
}

extension Fleet {
  /// One random write of a member, of one to three calls.
  @discardableResult
  package func writeRandomly(_ index: Int) throws -> Bool {
    members[index].clock.advance(by: random.pick([0, 0, 1, 5, -2]))
    let own = try self[index].read { try $0.keys(at: PathKey("own").path) }
    let actions = (0..<random.pick([1, 1, 1, 2, 3])).map { _ in random.action(own: own) }
    return try self[index].write(actions)
  }
}
