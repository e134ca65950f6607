extension Invite {
  /// What stands before an invite's version, and then a colon.
  private static let mark = "offlinetree"
  private static let version = "1"
  /// The only kind there is: its holder reads and joins without anybody's help.
  private static let bearer: UInt8 = 1
  private static let checkBytes = 4

  /// The line that a newcomer is given: about 250 characters. A secret: show it once, store it nowhere.
  public var line: String {
    var writer = ByteWriter()
    writer.u8(Invite.bearer)
    writer.append(spaceID)
    Invite.append(seed, to: &writer)
    Invite.append(epochKey, to: &writer)
    writer.append(registration.log)
    writer.varint(registration.seq)
    writer.append(registration.hash)
    writer.varint(addresses.count)
    for address in addresses { writer.prefixed(address) }
    writer.append(Invite.check(writer.bytes[...]))
    return "\(Invite.mark)\(Invite.version):\(Base64URL.encode(writer.bytes))"
  }

  /// Reads an invite's line; spaces and line breaks in it do not matter.
  ///
  /// - Throws: `invalidArgument` for what is no invite, is cut off or mistyped; `limitExceeded` for more text than any
  ///   invite has; `unsupportedVersion` for a newer version or an unknown kind.
  public convenience init(parsing text: String) throws(TreeError) {
    let digits = try Invite.digits(of: text)
    if let other = digits.first(where: { Base64URL.value(of: $0) == nil }) {
      throw Invite.mistyped("holds a character that no invite has (\(Invite.shown(other)))")
    }
    guard let (bytes, isExact) = Base64URL.decode(digits) else { throw Invite.mistyped("cannot be read") }
    let content = bytes.dropLast(Invite.checkBytes)
    guard isExact, content.count + Invite.checkBytes == bytes.count,
      bytes[content.endIndex...].elementsEqual(Invite.check(content))
    else {
      throw Invite.isCutOff(bytes) ? Invite.cutOff : Invite.mistyped("is mistyped: its check does not fit")
    }
    try self.init(decoding: content)
  }

  /// The encoded part of the line.
  private static func digits(of text: String) throws(TreeError) -> ArraySlice<UInt8> {
    if text.utf8.count > Limits.inviteLineBytes {
      throw TreeError(
        .limitExceeded, "this is no invite: it is longer than \(Limits.inviteLineBytes) bytes", advice: pasteAll)
    }
    let line = text.utf8.filter { $0 != UInt8(ascii: " ") && !(9...13).contains($0) }
    let mark = Array(Invite.mark.utf8)
    guard line.starts(with: mark) else {
      if !line.isEmpty, mark.starts(with: line) { throw cutOff }
      if line.count == 64, bytes(fromHexadecimal: String(decoding: line, as: UTF8.self)) != nil {
        throw TreeError(
          .invalidArgument, "this is the id of a space, which says which space it is and lets nobody in",
          advice: "Ask a member of the space for an invite.")
      }
      throw TreeError(
        .invalidArgument, "this is no invite: it does not begin with \"\(Invite.mark)\(Invite.version):\"",
        advice: pasteAll)
    }
    let version = line[mark.count...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard version.endIndex < line.endIndex else { throw cutOff }
    guard line[version.endIndex] == UInt8(ascii: ":"), !version.isEmpty else {
      throw mistyped("does not begin with \"\(Invite.mark)\(Invite.version):\"")
    }
    guard version.elementsEqual(Invite.version.utf8) else {
      throw TreeError(
        .unsupportedVersion, "this invite was made by another version of this program",
        advice: "Update this program, or ask for an invite of version \(Invite.version).")
    }
    return line[(version.endIndex + 1)...]
  }

  /// Bytes whose check fits.
  private convenience init(decoding bytes: ArraySlice<UInt8>) throws(TreeError) {
    var reader = ByteReader(bytes)
    do throws(TreeError) {
      guard try reader.u8("kind") == Invite.bearer else {
        throw TreeError(
          .unsupportedVersion, "this invite is of a kind that this version does not know",
          advice: "Update this program, or ask for another invite.")
      }
      let space = try reader.bytes32("space id")
      let seed = Invite.secret(try reader.bytes(32, "seed"))
      let epochKey = Invite.secret(try reader.bytes(32, "key"))
      let registration = Registration(
        log: try reader.bytes16("log id"), seq: try reader.varint("number"), hash: try reader.bytes16("hash"))
      guard registration.seq < Limits.changesPerLog else { throw reader.damaged("number", "is too large") }
      var addresses: [String] = []
      for _ in 0..<(try reader.count("addresses", limit: Limits.inviteAddresses)) {
        let text = try reader.prefixed("address", limit: Limits.inviteAddressBytes)
        guard let address = String(validating: text, as: UTF8.self) else {
          throw reader.damaged("address", "is not valid UTF-8")
        }
        addresses.append(address)
      }
      try reader.finish("invite")
      try self.init(
        spaceID: space, seed: seed, epochKey: epochKey, registration: registration, addresses: addresses)
    } catch {
      if error.code == .unsupportedVersion { throw error }
      throw TreeError(
        .invalidArgument, "this invite was not made by this program: \(error.context)",
        advice: "Ask for another invite.")
    }
  }

  /// Do the bytes end before an invite would?
  private static func isCutOff(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    do throws(TreeError) {
      _ = try reader.bytes(1 + 3 * 32 + 16, "fixed part")
      _ = try reader.varint("number")
      _ = try reader.bytes(16, "hash")
      for _ in 0..<(try reader.count("addresses", limit: Limits.inviteAddresses)) {
        _ = try reader.prefixed("address", limit: Limits.inviteAddressBytes)
      }
      _ = try reader.bytes(checkBytes, "check")
      return false
    } catch {
      return true
    }
  }

  private static func check(_ content: ArraySlice<UInt8>) -> [UInt8] {
    Array(Sodium.hash16(Array(content)).bytes.prefix(checkBytes))
  }

  private static func append(_ secret: borrowing Secret, to writer: inout ByteWriter) {
    var open = secret.copyBytes()
    writer.append(open)
    Sodium.wipe(&open)
  }

  private static func secret(_ bytes: ArraySlice<UInt8>) -> Secret {
    var open = Array(bytes)
    return Secret(&open)
  }

  // MARK: What is wrong with a line; none of it repeats the line, which may be a secret all the same

  private static let pasteAll = "Paste the whole line that \"invite\" has printed, from \"offlinetree\" to its end."

  private static var cutOff: TreeError {
    TreeError(.invalidArgument, "the invite is cut off: its end is missing", advice: pasteAll)
  }

  private static func mistyped(_ problem: String) -> TreeError {
    TreeError(.invalidArgument, "the invite \(problem)", advice: pasteAll)
  }

  private static func shown(_ byte: UInt8) -> String {
    (0x21...0x7E).contains(byte) ? String(UnicodeScalar(byte)) : "byte 0x\(hexadecimal([byte]))"
  }
}
