/// An email address, as accounts compare them: trimmed, and its ASCII letters in lower case.
package enum Email {
  /// - Throws: `invalidEmail`.
  package static func normalized(_ text: String) throws(TreeError) -> String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let trimmed = text.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    let lower = trimmed.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    let email = String(decoding: lower, as: UTF8.self)
    if isNormal(email) { return email }
    throw TreeError(
      .invalidEmail, "\"\(UTF8Text.excerpt(Array(text.utf8)))\" is no email address",
      advice: "Write it like name@example.org.")
  }

  /// One @ between a name of at most 64 bytes and a host, 254 bytes in all, no space, no control character.
  package static func isNormal(_ email: String) -> Bool {
    let bytes = Array(email.utf8)
    guard bytes.count <= 254, let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
    let (name, host) = (bytes[..<at], bytes[(at + 1)...])
    let isPlain = email.unicodeScalars.allSatisfy { scalar in
      !Username.isControl(scalar) && !Username.isSpace(scalar) && !("A"..."Z").contains(scalar)
    }
    return isPlain && (1...64).contains(name.count) && !name.contains(UInt8(ascii: "@")) && !host.isEmpty
      && host.first != UInt8(ascii: ".") && host.last != UInt8(ascii: ".")
  }
}

/// What people call somebody. Not unique: the user's id is.
package enum Username {
  package static let byteLimit = 128

  /// What is wrong with it, or nil.
  package static func problem(_ name: String) -> String? {
    if name.isEmpty || name.utf8.count > byteLimit {
      return "a username has 1 to \(byteLimit) bytes, and this one \(name.utf8.count)"
    }
    if name.unicodeScalars.contains(where: isControl) { return "a username holds a control character" }
    if name.unicodeScalars.allSatisfy(isSpace) { return "a username is blank" }
    return nil
  }

  /// A list of our own: every replica has to draw the same line, whatever it knows of Unicode.
  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }

  /// Characters that change how what stands around them is shown.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
