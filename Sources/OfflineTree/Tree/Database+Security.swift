/// Stand-ins until the real ones land.
extension Database {
  package func epochs() throws(TreeError) -> Epochs {
    let keys = Self.standIns.withLock { all in
      if let keys = all[spaceID] { return keys }
      var key = Sodium.hash32(spaceID.bytes).bytes
      let keys = EpochKeys(Secret(&key), space: spaceID)
      all[spaceID] = keys
      return keys
    }
    return Epochs(current: keys, known: [keys])
  }

  private static let standIns = Monitor<[SpaceID: EpochKeys]>([:])

  package func learnKeys(from runs: [ChangeRun]) throws(TreeError) -> Bool { false }

  package func standing(of device: Bytes32) throws(TreeError) -> DeviceStanding { .member }

  package func admits(_ claim: [UInt8]) throws(TreeError) -> Bytes32? { nil }

  package func claim() throws(TreeError) -> [UInt8]? { nil }

  package func sign(_ purpose: SignaturePurpose, _ content: [UInt8]) -> Signature {
    guard var bytes = try? FileSystem.readFile("\(home)/device.key", maximumBytes: 64) else {
      preconditionFailure("the device's key is gone")
    }
    return Sodium.sign(purpose.message(spaceID, content), Secret(&bytes))
  }
}
