/// The checkpoint that a home serves: in memory once, however many are sent it, and only while somebody is.
final class CheckpointShelf: Sendable {
  /// As many are sent it at a time; others read the history.
  static let places = 8

  private struct State {
    var stamp: FileStamp?
    var bytes: [UInt8] = []
    var taken = 0
  }

  private let state = Monitor(State())

  /// - Parameter read: Reads the file at `path`; nil if there is none.
  /// - Returns: Nil if there is none, or all places are taken.
  func borrow(
    _ path: String, read: () throws(TreeError) -> [UInt8]?
  ) throws(TreeError) -> BorrowedCheckpoint? {
    // The lock's closure cannot say which error it throws.
    let result = state.withLock { state -> Result<[UInt8]?, TreeError> in
      guard state.taken < Self.places, let stamp = FileSystem.look(at: path)?.stamp else { return .success(nil) }
      do throws(TreeError) {
        if state.stamp != stamp {
          guard let bytes = try read() else { return .success(nil) }
          (state.stamp, state.bytes) = (stamp, bytes)
        }
        state.taken += 1
        return .success(state.bytes)
      } catch {
        return .failure(error)
      }
    }
    return try result.get().map { BorrowedCheckpoint($0, self) }
  }

  fileprivate func giveBack() {
    state.withLock { state in
      state.taken -= 1
      if state.taken == 0 { (state.stamp, state.bytes) = (nil, []) }
    }
  }
}

/// A place among those who are sent the checkpoint, until it is let go of.
package final class BorrowedCheckpoint: Sendable {
  package let bytes: [UInt8]
  private let shelf: CheckpointShelf

  fileprivate init(_ bytes: [UInt8], _ shelf: CheckpointShelf) { (self.bytes, self.shelf) = (bytes, shelf) }

  deinit { shelf.giveBack() }
}
