/// An index that a home keeps, and how far it is.
struct IndexDefinition: Equatable, Sendable {
  /// Who asks for it.
  struct Origin: OptionSet, Sendable {
    let rawValue: UInt8
    /// `.indexOn` in the space's rules.
    static let rules = Origin(rawValue: 1)
    /// `addIndex` of a program on this device.
    static let app = Origin(rawValue: 2)
  }

  enum State: Equatable, Sendable {
    /// The children up to a path have rows, which are kept up; none where there is no path.
    case building(after: PathKey?)
    /// Every child has a row.
    case ready
    /// Nobody asks for it any more: its rows go.
    case dropping
  }

  /// Its rows begin with it; no two indexes of a home ever have the same one.
  let number: UInt32
  let pattern: IndexPattern
  /// What orders the children: what stands at this path below each; the root stands for the children's own values.
  let child: Path
  var origin: Origin
  var state: State
  /// How many children were indexed when it was built.
  var built: UInt64 = 0

  /// Is a child's row kept up?
  func covers(_ child: PathKey) -> Bool {
    switch state {
    case .ready: true
    case .building(let end): end.map { !($0 < child) } ?? false
    case .dropping: false
    }
  }
}

/// The indexes of a home, and what a write has touched of them.
struct IndexSet: Sendable {
  var definitions: [IndexDefinition] = []
  private(set) var nextNumber: UInt32 = 1
  /// The version of the authority whose rules were looked at.
  var authorityVersion: UInt64?
  /// For each index that is kept up, by place in `definitions`: the children that this write has touched, and what they
  /// had in the index before; nil for those that were not there.
  var touched: [Int: [PathKey: IndexValue?]] = [:]
  var touchedCount = 0

  /// Children beyond which their rows are brought up to date before the end of a write.
  static let touchedLimit = 65_536

  /// Has there never been an index?
  var isUnused: Bool { nextNumber == 1 }

  /// Is there something that takes background work?
  var hasWork: Bool { definitions.contains { $0.state != .ready } }

  mutating func add(_ pattern: IndexPattern, _ child: Path, _ origin: IndexDefinition.Origin) {
    definitions.append(
      IndexDefinition(number: nextNumber, pattern: pattern, child: child, origin: origin, state: .building(after: nil)))
    nextNumber += 1
  }

  /// The number of the index that answers a query, if it is ready.
  func ready(at parent: PathKey, by child: Path) -> UInt32? {
    definitions.first { $0.state == .ready && $0.child == child && $0.pattern.matches(parent) }?.number
  }
}

extension IndexSet {
  static let metaKey = Array("indexes".utf8)

  /// docs/format.md has the row.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.varint(UInt64(nextNumber))
    writer.varint(authorityVersion.map { $0 + 1 } ?? 0)
    for definition in definitions {
      writer.varint(UInt64(definition.number))
      writer.u8(definition.origin.rawValue)
      switch definition.state {
      case .building(let end):
        writer.u8(end == nil ? 0 : 1)
        if let end { writer.prefixed(end.bytes) }
      case .ready: writer.u8(2)
      case .dropping: writer.u8(3)
      }
      writer.varint(definition.built)
      writer.varint(definition.pattern.keys.count)
      for key in definition.pattern.keys { writer.prefixed(key?.text ?? "") }
      writer.prefixed(definition.child.description)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    nextNumber = UInt32(try reader.count("next index", limit: Int(UInt32.max)))
    let version = try reader.varint("version of the authority")
    authorityVersion = version == 0 ? nil : version - 1
    while !reader.isAtEnd {
      let number = UInt32(try reader.count("index", limit: Int(UInt32.max)))
      let origin = IndexDefinition.Origin(rawValue: try reader.u8("origin of an index"))
      let state: IndexDefinition.State
      switch try reader.u8("state of an index") {
      case 0: state = .building(after: nil)
      case 1:
        state = .building(after: try PathKey(encoded: Array(try reader.prefixed("path", limit: PathKey.byteLimit))))
      case 2: state = .ready
      default: state = .dropping
      }
      let built = try reader.varint("children")
      var keys: [Key?] = []
      for _ in 0..<(try reader.count("keys of an index", limit: Limits.pathLevels)) {
        let text = try reader.prefixed("key of an index", limit: Limits.pathBytes)
        keys.append(text.isEmpty ? nil : try Key(utf8: text))
      }
      let child = try Path(String(decoding: try reader.prefixed("child", limit: Limits.pathBytes), as: UTF8.self))
      definitions.append(
        IndexDefinition(
          number: number, pattern: IndexPattern(keys), child: child, origin: origin, state: state, built: built))
    }
  }
}
