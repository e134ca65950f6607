internal import CSodium

/// Raw bytes that must not be read by others: in locked memory of their own, behind guard pages, wiped at the end.
///
/// Cannot be copied, printed or compared; whoever needs the bytes borrows them for the time of a closure.
@safe
package struct Secret: ~Copyable, @unchecked Sendable {
  // Written once, in `init`, before anybody else can see it.
  private let memory: UnsafeMutableRawPointer
  package let count: Int

  /// Takes over the bytes that `fill` writes.
  package init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    self.count = count
    unsafe memory = Sodium.lockedMemory(count)
    unsafe fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
    unsafe sodium_mprotect_readonly(memory)
  }

  /// Takes over `bytes`, and wipes them.
  package init(_ bytes: inout [UInt8]) {
    // No second reference to the bytes: wiping would overwrite a copy of them.
    self.init(copying: bytes)
    Sodium.wipe(&bytes)
  }

  /// A copy of `bytes`, which the caller wipes.
  package init(copying bytes: borrowing [UInt8]) {
    unsafe self.init(count: bytes.count) { target in
      unsafe bytes.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
    }
  }

  deinit { unsafe sodium_free(memory) }

  /// The bytes, for the time of the closure.
  package borrowing func withBytes<R: ~Copyable>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try unsafe body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// An open copy: whoever asks for it wipes it with `Sodium.wipe`.
  package borrowing func copyBytes() -> [UInt8] { unsafe withBytes { unsafe Array($0) } }
}

extension [UInt8] {
  /// Empty, with room for so many bytes: what is appended within it leaves no copy behind.
  package init(capacity: Int) {
    self = []
    reserveCapacity(capacity)
  }

  /// Appends the bytes of a secret; there has to be room for them. Whoever holds the array wipes it.
  package mutating func append(_ secret: borrowing Secret) {
    precondition(capacity - count >= secret.count, "growing would leave a copy of a secret behind")
    unsafe secret.withBytes { unsafe append(contentsOf: $0) }
  }
}

extension Sodium {
  /// BLAKE2b of 32 bytes over a secret, as one.
  package static func secretHash32(_ bytes: borrowing [UInt8]) -> Secret {
    precondition(started)
    return unsafe Secret(count: 32) { output in
      unsafe bytes.withUnsafeBytes { input in
        _ = unsafe crypto_generichash(
          output.bindMemory(to: UInt8.self).baseAddress!, 32, input.bindMemory(to: UInt8.self).baseAddress,
          UInt64(input.count), nil, 0)
      }
    }
  }

  /// Memory that is not swapped out, where the system allows it, with guard pages around.
  fileprivate static func lockedMemory(_ count: Int) -> UnsafeMutableRawPointer {
    precondition(started)
    guard let memory = unsafe sodium_malloc(max(count, 1)) else { preconditionFailure("there is no memory for a key") }
    return unsafe memory
  }

  /// Overwrites bytes that were secret; also if nobody reads them any more.
  package static func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { unsafe sodium_memzero(start, buffer.count) }
    }
    bytes = []
  }

  /// Overwrites memory that was secret and that nobody reads any more, whoever it belongs to.
  package static func wipe(_ memory: UnsafeRawBufferPointer) {
    if let start = memory.baseAddress { unsafe sodium_memzero(UnsafeMutableRawPointer(mutating: start), memory.count) }
  }
}
