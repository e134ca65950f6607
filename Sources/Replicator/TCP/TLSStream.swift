internal import Dispatch
import OfflineTree

/// A TLS channel over a connected socket.
///
/// Everything happens on the queue of its stream, the calls from outside included.
final class TLSStream {
  struct Handlers {
    /// Both ends have shown that they hold the key.
    var established: () -> Void
    /// What the other end says.
    var received: (ArraySlice<UInt8>) -> Void
    /// The other end finished, or an error ended the stream. Not called after `finish` or `cancel`.
    var ended: (TreeError?) -> Void
    /// The socket is closed. The last call.
    var closed: () -> Void
  }

  /// Bytes sealed at a time, so that what is sent is let go of meanwhile.
  private static let pieceBytes = 262_144

  let channel: TLSChannel
  private var handlers: Handlers?
  private var stream: ByteStream?
  private var isEstablished = false
  private var isClosing = false

  /// Takes the descriptor over.
  init(_ channel: TLSChannel, _ descriptor: Int32, name: String, queue: DispatchQueue, handlers: Handlers) {
    self.channel = channel
    self.handlers = handlers
    stream = ByteStream(
      descriptor, name: name, queue: queue,
      handlers: ByteStream.Handlers(
        received: { [self] bytes in received(bytes) },
        ended: { [self] error in end(error) },
        closed: { [self] in closed() }))
  }

  /// Bytes that the socket has not taken.
  var unsentBytes: Int { stream?.unsentBytes ?? 0 }

  func start() {
    stream?.start()
    flush()
  }

  /// Seals and queues bytes. Only once the channel is established.
  func send(_ bytes: [UInt8]) throws(TreeError) {
    guard !isClosing else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      try channel.send(rest.prefix(Self.pieceBytes))
      rest = rest.dropFirst(Self.pieceBytes)
      flush()
    }
  }

  /// Sends what is queued, and closes when the other end has closed, or soon after.
  func finish() {
    isClosing = true
    stream?.finish()
  }

  /// Closes at once.
  func cancel() {
    isClosing = true
    stream?.cancel()
  }

  private func flush() {
    let output = channel.takeOutput()
    if !output.isEmpty { stream?.send(output) }
  }

  private func received(_ bytes: ArraySlice<UInt8>) {
    do throws(TreeError) {
      try channel.received(bytes) { (piece) throws(TreeError) in
        noteEstablished()
        if !isClosing { handlers?.received(piece) }
      }
      noteEstablished()
      flush()
      if channel.isAtEnd { end(nil) }
    } catch {
      end(error)
    }
  }

  private func noteEstablished() {
    guard channel.isEstablished, !isEstablished, !isClosing else { return }
    isEstablished = true
    handlers?.established()
  }

  private func end(_ error: TreeError?) {
    if !isClosing { handlers?.ended(error) }
    cancel()
  }

  private func closed() {
    let closed = handlers?.closed
    handlers = nil
    stream = nil
    closed?()
  }
}
