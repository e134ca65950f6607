/// What devices have signed of the logs in a checkpoint: in memory, or where it stands in a file.
///
/// Whoever sends a checkpoint can add as many as there is room for: from a file they are read a few at a time, and only once
/// all else was found right.
package struct CheckpointHeads: Sendable {
  private enum Source: Sendable {
    case memory([CheckpointBundle.SignedHead])
    case file(LocalFile, offset: Int, count: Int)
  }

  private let source: Source
  private static let headsRead = 8_192

  package init(_ heads: [CheckpointBundle.SignedHead]) { source = .memory(heads) }

  init(_ file: LocalFile, at offset: Int, count: Int) { source = .file(file, offset: offset, count: count) }

  package var count: Int {
    switch source {
    case .memory(let heads): heads.count
    case .file(_, _, let count): count
    }
  }

  /// All of them, where they are in memory.
  package var inMemory: [CheckpointBundle.SignedHead] {
    switch source {
    case .memory(let heads): return heads
    case .file: preconditionFailure("what stands in a file is read a few at a time")
    }
  }

  /// Calls `body` with each, in order.
  func read(_ body: (CheckpointBundle.SignedHead) throws(TreeError) -> Void) throws(TreeError) {
    switch source {
    case .memory(let heads):
      for head in heads { try body(head) }
    case .file(let file, let offset, let count):
      for first in stride(from: 0, to: count, by: Self.headsRead) {
        let part = min(count - first, Self.headsRead)
        let size = CheckpointBundle.SignedHead.byteCount
        var reader = ByteReader(try file.read(part * size, at: offset + first * size))
        for _ in 0..<part { try body(try CheckpointBundle.SignedHead(&reader)) }
      }
    }
  }
}

extension CheckpointHeads: Equatable {
  /// The same in memory, or the same place of one open file.
  package static func == (left: CheckpointHeads, right: CheckpointHeads) -> Bool {
    switch (left.source, right.source) {
    case (.memory(let left), .memory(let right)): left == right
    case (.file(let left, let start, let count), .file(let right, let other, let others)):
      left === right && start == other && count == others
    case (.memory, .file), (.file, .memory): false
    }
  }
}
