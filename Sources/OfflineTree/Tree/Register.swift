/// What the tree holds at one path: live versions of a value, and the totals of its counter's parts and votes.
///
/// The parts and the votes themselves are rows of their own, found by `counter`.
struct Register: Equatable, Sendable {
  /// Newest first.
  var versions: [Version] = []
  /// Names the counter's rows; 0 where there never was one.
  var counter: UInt64 = 0
  /// The exact sum of all live increments and of each voter's winning choice.
  var total = ExactSum()
  /// How many live increments there are.
  var increments: UInt64 = 0
  /// How many voters' winning choice is not 0.
  var ballots: UInt64 = 0
  /// How many voters have a live choice, 0 included.
  var voters: UInt64 = 0

  /// Nothing is live here.
  var isEmpty: Bool { versions.isEmpty && increments == 0 && voters == 0 }
  var hasParts: Bool { increments > 0 || ballots > 0 }
  var hasCounterRows: Bool { increments > 0 || voters > 0 }

  /// How a register's versions are looked at: outside add-only elements the newest shows; inside, the owner's.
  enum View: Equatable {
    case newest
    case owned(by: Dot?)
  }

  func shownVersion(_ view: View) -> Version? {
    switch view {
    case .newest: versions.first
    case .owned(let owner): owner.flatMap { owner in versions.first { $0.dot == owner } }
    }
  }

  /// Do increments and votes count here? Inside an element only where its creator put a number.
  func counts(_ view: View) -> Bool {
    switch view {
    case .newest: true
    case .owned: shownVersion(view)?.value.isNumber ?? false
    }
  }

  /// The scalar that shows if nothing below does.
  func scalar(_ view: View) -> Scalar? {
    let shown = shownVersion(view)?.value
    if let shown, !shown.isNumber { return shown }
    guard hasParts, counts(view) else { return shown }
    return total.rounded(adding: shown)
  }
}

extension Register {
  enum Flag {
    static let simple: UInt8 = 0
    static let counter: UInt8 = 1
    static let flag: UInt8 = 2
  }

  /// The row of a flag: a view of votes, with no register of its own.
  static let flagRow: [UInt8] = [Flag.flag]

  /// A row: kind, [counter, totals, shown scalar], versions. `shown` is written so that readers need not add.
  func encode(shown: Scalar?, to writer: inout ByteWriter) {
    let isSimple = counter == 0 && versions.count == 1 && shown == versions[0].value
    writer.u8(isSimple ? Flag.simple : Flag.counter)
    if isSimple {
      versions[0].encode(to: &writer)
      return
    }
    if let shown { shown.encode(to: &writer) } else { writer.u8(0) }
    writer.varint(counter)
    writer.varint(increments)
    writer.varint(ballots)
    writer.varint(voters)
    total.encode(to: &writer)
    writer.varint(versions.count)
    for version in versions { version.encode(to: &writer) }
  }

  /// Nil for the row of a flag.
  static func decode(_ bytes: [UInt8]) throws(TreeError) -> Register? {
    var reader = ByteReader(bytes)
    var register = Register()
    switch try reader.u8("register's kind") {
    case Flag.flag: return nil
    case Flag.simple: register.versions = [try Version.decode(&reader)]
    default:
      if try reader.u8("shown value") != 0 {
        reader = ByteReader(bytes, 1..<bytes.count)
        _ = try Scalar.decode(from: &reader)
      }
      register.counter = try reader.varint("counter")
      register.increments = try reader.varint("increments")
      register.ballots = try reader.varint("ballots")
      register.voters = try reader.varint("voters")
      register.total = try ExactSum.decode(from: &reader)
      for _ in 0..<(try reader.count("versions", limit: bytes.count)) {
        register.versions.append(try Version.decode(&reader))
      }
    }
    return register
  }
}

extension Version {
  func encode(to writer: inout ByteWriter) {
    value.encode(to: &writer)
    stamp.encode(to: &writer)
    dot.encode(to: &writer)
  }

  static func decode(_ reader: inout ByteReader) throws(TreeError) -> Version {
    let value = try Scalar.decode(from: &reader)
    let stamp = try Stamp.decode(&reader)
    return Version(stamp: stamp, dot: try Dot.decode(&reader), value: value)
  }
}

extension Stamp {
  func encode(to writer: inout ByteWriter) {
    writer.varint(milliseconds)
    writer.varint(UInt64(counter))
  }

  static func decode(_ reader: inout ByteReader) throws(TreeError) -> Stamp {
    let milliseconds = try reader.varint("stamp")
    let counter = try reader.count("stamp's counter", limit: Int(UInt16.max))
    return Stamp(milliseconds: milliseconds, counter: UInt16(counter))
  }
}

extension Dot {
  func encode(to writer: inout ByteWriter) {
    writer.varint(log)
    writer.varint(seq)
  }

  static func decode(_ reader: inout ByteReader) throws(TreeError) -> Dot {
    let log = try reader.count("log index", limit: Int(Int32.max))
    return Dot(log: log, seq: try reader.varint("number"))
  }
}
