/// The name of a stored file, such as "profile_image/a.jpg".
///
/// Segments joined by "/", none of them empty, "." or "..", without control characters. Dots and all else that keys of the
/// tree cannot have are allowed. Two names are equal if their bytes are. The limits are those of a path.
///
/// As a path key it stands below a component that no path of the tree has, so that names that begin alike are one range:
/// ```
/// 04 01 ‖ each segment as a key of a path
/// ```
package struct FileName: Hashable, Comparable, Sendable {
  package let key: PathKey

  /// What all files stand below.
  package static let root = PathKey(trusted: [PathKey.fileMark, PathKey.end])

  /// Stands in a void change for a name that is beyond the limits.
  package static let nameless = FileName(trusted: root)

  /// The name as a path key, for bytes that were made by one.
  init(trusted key: PathKey) { self.key = key }

  /// Parses a name that somebody wrote. Slashes at either end and repeated ones are dropped.
  /// - Throws: `invalidArgument` for what cannot be a name, `limitExceeded` for one too long or too deep.
  package init(_ text: String) throws(TreeError) {
    let segments = text.utf8.split(separator: UInt8(ascii: "/"))
    let bytes = Array(segments.joined(separator: [UInt8(ascii: "/")]))
    do throws(TreeError) {
      try self.init(validating: bytes[...])
    } catch {
      if error.code == .limitExceeded { throw error }
      throw TreeError(
        .invalidArgument, error.context,
        advice: "Write it as a/b.jpg: no empty segment, no . or .. and no control characters.")
    }
  }

  /// Parses the canonical text of a name, as it stands in formats.
  /// - Throws: `damaged` for what is none, `limitExceeded` for one that is well formed, and too long or too deep.
  package init(validating text: ArraySlice<UInt8>) throws(TreeError) {
    let segments = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard String(validating: text, as: UTF8.self) != nil, segments.allSatisfy(Self.isSegment) else {
      throw TreeError(.damaged, "\"\(UTF8Text.excerpt(text))\" is no name of a file")
    }
    try Path.check(bytes: text.count + 1, levels: segments.count)
    self.init(trusted: Self.key(segments))
  }

  private static func isSegment(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard !bytes.isEmpty, !bytes.elementsEqual(".".utf8), !bytes.elementsEqual("..".utf8) else { return false }
    return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  private static func key(_ segments: [ArraySlice<UInt8>]) -> PathKey {
    var bytes = root.bytes
    for segment in segments { PathKey.append(segment: Array(segment), to: &bytes) }
    return PathKey(trusted: bytes)
  }

  /// What is below a folder of names: "" for all, "a/b" for those that begin with "a/b/".
  package static func folder(_ text: String) throws(TreeError) -> PathKey {
    text.utf8.allSatisfy { $0 == UInt8(ascii: "/") } ? root : try FileName(text).key
  }

  /// The canonical text as UTF-8.
  package var textBytes: [UInt8] { PathKey(trusted: key.bytes[Self.root.bytes.count...]).textBytes }

  package var text: String { String(decoding: textBytes, as: UTF8.self) }

  package static func < (left: FileName, right: FileName) -> Bool { left.key < right.key }
}

extension FileName: CustomStringConvertible {
  package var description: String { text }
}

extension PathKey {
  /// Begins what stands for files, and no path of the tree.
  static let fileMark: UInt8 = 0x04
  /// How what all files stand below is written for people, and in rules.
  package static let filesName = "@files"

  /// Is it a file's, or of what is above one?
  package var isOfFiles: Bool { bytes.first == PathKey.fileMark }

  fileprivate static func append(segment: [UInt8], to bytes: inout [UInt8]) {
    append(Key(trusted: String(decoding: segment, as: UTF8.self)), to: &bytes)
  }
}
