extension Genesis {
  /// Is the device an owner of the space? The founder's is, and no other.
  package func isOwner(_ device: Bytes32) -> Bool { device == founder }
}
