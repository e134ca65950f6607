/// What is wrong with the code that a fuzzer drives.
package struct FuzzFailure: Error, Equatable {
  package let text: String

  package init(_ text: String) { self.text = text }
}

/// A decoder of bytes from outside, with what must hold for all bytes.
///
/// libFuzzer drives it (`script/fuzz`), and a test with its seeds and what grows from them.
package struct FuzzTarget: Sendable {
  /// An input from a real encoding, from which others are grown; kept in `fixtures/fuzz`.
  package struct Seed: Sendable {
    package let name: String
    package let bytes: [UInt8]
    /// Is it the same each time? What holds fresh randomness is kept as it was recorded.
    package let isRepeatable: Bool

    package init(_ name: String, _ bytes: [UInt8], isRepeatable: Bool = true) {
      (self.name, self.bytes, self.isRepeatable) = (name, bytes, isRepeatable)
    }
  }

  package let name: String
  /// Longer inputs are not tried.
  package let maximumBytes: Int
  /// The bytes of the heap that an input of so many bytes may take at a time.
  package let memory: @Sendable (Int) -> Int
  package let seeds: @Sendable () -> [Seed]
  /// Decodes the bytes; throws what should not be. What the decoder refuses is as it should be.
  package let run: @Sendable ([UInt8]) throws(FuzzFailure) -> Void

  package static let all: [FuzzTarget] = [
    .segment, .sealed, .opened, .acknowledgement, .frames, .session, .change, .introduction, .genesis, .invite,
    .recoveryCode, .proof, .tlsServer, .tlsClient, .tlsPair, .json, .path, .checkpoint, .backup, .salvage,
  ]
}

/// Throws unless it is so.
func require(_ isSo: Bool, _ text: @autoclosure () -> String) throws(FuzzFailure) {
  if !isSo { throw FuzzFailure(text()) }
}
