/// The keys with which a device can open things, and the one with which it seals new ones.
package struct Epochs: Sendable {
  package let current: EpochKeys
  /// Newest first, the current ones included.
  package let known: [EpochKeys]

  package init(current: EpochKeys, known: [EpochKeys]) {
    self.current = current
    self.known = known
  }

  package subscript(id: EpochID) -> EpochKeys? { known.first { $0.id == id } }
}

/// Whether a device may take part.
package enum DeviceStanding: Equatable, Sendable {
  case member
  /// Removed, or left, or came by an invite that was ended before anybody knew.
  case ended
  /// Nobody here has heard of it.
  case unknown
}
