package import OfflineTree

/// What a newcomer is offered to begin with.
package struct CheckpointOffer: Equatable, Sendable {
  /// Bytes of the checkpoint; 0 if there is none.
  package var byteCount: Int
  /// Up to where every keeper is known to have each log.
  package var floors: [LogPosition]

  package init(byteCount: Int, floors: [LogPosition]) {
    (self.byteCount, self.floors) = (byteCount, floors.sorted())
  }

  package static let none = CheckpointOffer(byteCount: 0, floors: [])
}

extension CheckpointOffer {
  init(decoding reader: inout ByteReader) throws(TreeError) {
    byteCount = try reader.count("bytes of a checkpoint", limit: CheckpointBundle.maximumBytes)
    floors = byteCount == 0 ? [] : try Message.positions(&reader)
  }
}
