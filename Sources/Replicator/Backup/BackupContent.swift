internal import OfflineTree

/// What the sections of a backup say, one after the other.
struct BackupContent {
  enum Item {
    case changes([ChangeRun])
    case image([UInt8])
    case settings(BackupSettings)
  }

  private let reader: BackupReader
  /// The last end that was passed.
  private(set) var end: BackupEnd?
  /// Places that were passed over.
  private(set) var damages = 0

  private static let openedLimit = 40 << 20

  init(_ reader: BackupReader) { self.reader = reader }

  /// - Parameter isPatient: Passes over what is damaged; else that throws.
  mutating func read(isPatient: Bool, _ body: (Item) throws(TreeError) -> Void) throws(TreeError) {
    var (last, broken): (BackupEnd?, Int) = (nil, 0)
    damages = try reader.forEachSection(isPatient: isPatient) { kind, content, _ throws(TreeError) in
      do throws(TreeError) {
        switch kind {
        case .about: throw TreeError(.damaged, "a backup says twice whose it is")
        case .changes: try body(.changes(try runs(content)))
        case .image: try body(.image(content))
        case .settings: try body(.settings(try BackupSettings(decoding: content)))
        case .end: last = try BackupEnd(decoding: content)
        }
      } catch  where isPatient && error.code == .damaged {
        broken += 1
      }
    }
    end = last
    damages += broken
  }

  private func runs(_ content: [UInt8]) throws(TreeError) -> [ChangeRun] {
    var lengths = ByteReader(content)
    let count = Int(try lengths.u32("length of a section"))
    guard count <= Self.openedLimit else {
      throw TreeError(.limitExceeded, "a section of a backup opens to \(count) bytes")
    }
    let bytes = try Zstd.decompress(content[4...], byteCount: count)
    var runs: [ChangeRun] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let header = try SegmentHeader(decodingPlain: rest)
      guard header.plainByteCount <= rest.count else {
        throw TreeError(.damaged, "a segment of a backup is cut off")
      }
      runs.append(try Segment(decoding: Array(rest.prefix(header.plainByteCount)), space: reader.about.space).run)
      rest = rest.dropFirst(header.plainByteCount)
    }
    return runs
  }
}
