/// What this device knows of itself.
extension Database {
  /// What stands at a path of `.info`.
  func value(of info: InfoPath) -> Value {
    let connected = Value.bool(isConnected)
    // There is no server whose clock would count: the times of changes are those of the devices that made them.
    let offset = Value.int(0)
    switch info {
    case .connected: return connected
    case .serverTimeOffset: return offset
    case .all:
      return Value(members: [
        (key: Key(trusted: "connected"), value: connected), (key: Key(trusted: "serverTimeOffset"), value: offset),
      ])
    }
  }
}

extension DatabaseQuery {
  /// What stands at a path of `.info` now.
  func snapshot(of info: InfoPath) -> DataSnapshot {
    DataSnapshot(ref, CopiedNode(base: PathKey(path), copy: database.value(of: info), shown: [:]))
  }
}
