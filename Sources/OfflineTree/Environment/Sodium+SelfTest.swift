/// Replicas that judge a signature differently diverge for ever, so a library that judges otherwise is not used.
extension Sodium {
  /// - Throws: `internal` if the library of this process did not pass `selfTest`, which runs once.
  package static func requireSound() throws(TreeError) { try soundness.get() }

  private static let soundness: Result<Void, TreeError> = Result { () throws(TreeError) in
    precondition(started)
    try selfTest()
  }

  /// Tries what every device has to judge alike: a true signature, and one of each kind of crafted ones on which releases
  /// of libsodium disagree (fixtures/signatures has all of them).
  ///
  /// - Parameter accepts: Does a signature of a message by a key count? The library's answer, unless a test gives another.
  /// - Throws: `internal`, with what was judged wrongly.
  /// - Complexity: ten operations on the curve, about a millisecond.
  package static func selfTest(
    _ accepts: (Signature, [UInt8], Bytes32) -> Bool = { Sodium.isValid($0, of: $1, byUnknown: $2) }
  ) throws(TreeError) {
    for vector in vectors where accepts(vector.signature, vector.message, vector.key) != vector.counts {
      throw TreeError(
        .internal, "libsodium \(vector.counts ? "refuses" : "accepts") a signature: \(vector.name)",
        advice: "Update libsodium: with this one, this device would come to see other things than all others.")
    }
  }

  /// A signature, and whether it counts.
  struct Vector {
    let name: String
    let key: Bytes32
    let message: [UInt8]
    let signature: Signature
    var counts = false

    init(_ name: String, key: String, _ message: String, _ signature: String, counts: Bool = false) {
      self.name = name
      self.key = Bytes32(Vector.bytes(key))
      self.message = Vector.bytes(message)
      self.signature = Signature(Vector.bytes(signature))
      self.counts = counts
    }

    /// The words below are hexadecimal; anything else would fail the test.
    private static func bytes(_ text: String) -> [UInt8] {
      OfflineTree.bytes(fromHexadecimal: text) ?? [UInt8](repeating: 0, count: text.utf8.count / 2)
    }
  }
}
