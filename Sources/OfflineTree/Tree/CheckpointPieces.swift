/// The compressed pieces of a checkpoint: in memory, or where they stand in a file.
package struct CheckpointPieces: Sendable {
  private enum Source: Sendable {
    case memory([[UInt8]])
    case file(LocalFile, [Range<Int>])
  }

  private let source: Source
  /// Bytes of all of them.
  package let byteCount: Int

  package init(_ pieces: [[UInt8]]) {
    source = .memory(pieces)
    byteCount = pieces.reduce(0) { $0 + $1.count }
  }

  init(_ file: LocalFile, _ places: [Range<Int>]) {
    source = .file(file, places)
    byteCount = places.reduce(0) { $0 + $1.count }
  }

  package var count: Int {
    switch source {
    case .memory(let pieces): pieces.count
    case .file(_, let places): places.count
    }
  }

  /// The piece at a place.
  package subscript(place: Int) -> [UInt8] {
    get throws(TreeError) {
      switch source {
      case .memory(let pieces): return pieces[place]
      case .file(let file, let places):
        let bytes = try file.read(places[place].count, at: places[place].lowerBound)
        guard bytes.count == places[place].count else { throw TreeError(.damaged, "a checkpoint is cut off") }
        return bytes
      }
    }
  }

  /// The first one alone.
  var first: CheckpointPieces {
    switch source {
    case .memory(let pieces): CheckpointPieces(Array(pieces.prefix(1)))
    case .file(let file, let places): CheckpointPieces(file, Array(places.prefix(1)))
    }
  }

  /// All of them, where they are in memory.
  package var inMemory: [[UInt8]] {
    switch source {
    case .memory(let pieces): return pieces
    case .file: preconditionFailure("a checkpoint that stands in a file is not written from memory")
    }
  }
}

extension CheckpointPieces: Equatable {
  /// The same bytes in memory, or the same places of one open file.
  package static func == (left: CheckpointPieces, right: CheckpointPieces) -> Bool {
    switch (left.source, right.source) {
    case (.memory(let left), .memory(let right)): left == right
    case (.file(let left, let places), .file(let right, let others)): left === right && places == others
    case (.memory, .file), (.file, .memory): false
    }
  }
}
