internal import CSodium

extension Sodium {
  /// BLAKE2b of 16 bytes over what comes in pieces: the same as `hash16` of all of them.
  @safe package struct Hash16Stream: ~Copyable {
    private let state: UnsafeMutableRawPointer

    package init() {
      precondition(started)
      // As libsodium wants its state to be aligned.
      unsafe state = UnsafeMutableRawPointer.allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
      _ = unsafe crypto_generichash_init(OpaquePointer(state), nil, 0, 16)
    }

    deinit { unsafe state.deallocate() }

    package mutating func update(_ bytes: [UInt8]) {
      _ = unsafe crypto_generichash_update(OpaquePointer(state), bytes, UInt64(bytes.count))
    }

    package mutating func finish() -> Bytes16 {
      var out = [UInt8](repeating: 0, count: 16)
      _ = unsafe crypto_generichash_final(OpaquePointer(state), &out, 16)
      return Bytes16(out)
    }
  }
}
