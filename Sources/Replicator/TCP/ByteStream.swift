internal import Dispatch
import OfflineTree

/// Bytes to and from one connected socket, driven by Dispatch.
///
/// This is the place for a layer that seals: it takes bytes and gives bytes. Everything happens on `queue`, the calls
/// from outside included, which is what makes it `Sendable`.
final class ByteStream: @unchecked Sendable {
  struct Handlers {
    var received: (ArraySlice<UInt8>) -> Void
    /// The other end finished, or an error ended the stream. Not called after `finish` or `cancel`.
    var ended: (TreeError?) -> Void
    /// The socket is closed. The last call.
    var closed: () -> Void
  }

  private static let readBytes = 262_144
  /// How often one event reads before others on the queue have their turn.
  private static let readRounds = 64
  /// Seconds in which the other end may read what was sent before the socket is closed.
  private static let lingerSeconds = 2

  private let descriptor: Int32
  private let name: String
  private let queue: DispatchQueue
  private let reader: any DispatchSourceRead
  private let writer: any DispatchSourceWrite
  private var handlers: Handlers?
  private var unsent: [[UInt8]] = []
  /// Bytes of the first unsent piece that are sent.
  private var offset = 0
  private(set) var unsentBytes = 0
  private var isWriterSuspended = true
  private var isFinishing = false
  private var isCancelled = false

  /// Takes the descriptor over.
  init(_ descriptor: Int32, name: String, queue: DispatchQueue, handlers: Handlers) {
    self.descriptor = descriptor
    self.name = name
    self.queue = queue
    self.handlers = handlers
    reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    writer = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    // A descriptor that is closed under a source would be somebody else's by then.
    let group = DispatchGroup()
    for _ in 0..<2 { group.enter() }
    reader.setCancelHandler { group.leave() }
    writer.setCancelHandler { group.leave() }
    group.notify(queue: queue) { [self] in
      SocketCalls.close(descriptor)
      let closed = self.handlers?.closed
      self.handlers = nil
      closed?()
    }
    reader.setEventHandler { [unowned self] in read() }
    writer.setEventHandler { [unowned self] in write() }
  }

  func start() { reader.resume() }

  /// Queues bytes, and sends what the socket takes at once.
  func send(_ bytes: [UInt8]) {
    guard !isCancelled, !isFinishing, !bytes.isEmpty else { return }
    unsent.append(bytes)
    unsentBytes += bytes.count
    if isWriterSuspended { write() }
  }

  /// Sends what is queued, tells the other end that nothing follows, and closes when it has closed, or soon after.
  func finish() {
    guard !isCancelled, !isFinishing else { return }
    isFinishing = true
    queue.asyncAfter(deadline: .now() + .seconds(Self.lingerSeconds)) { [weak self] in self?.cancel() }
    if unsentBytes == 0 { SocketCalls.endWriting(descriptor) }
  }

  /// Closes at once.
  func cancel() {
    guard !isCancelled else { return }
    isCancelled = true
    unsent = []
    unsentBytes = 0
    // A suspended source is never cancelled to the end.
    if isWriterSuspended {
      isWriterSuspended = false
      writer.resume()
    }
    reader.cancel()
    writer.cancel()
  }

  /// Reads until nothing is left: once both directions are closed, Dispatch fires a last time and then never again.
  private func read() {
    for _ in 0..<Self.readRounds where !isCancelled {
      var buffer = [UInt8](repeating: 0, count: min(max(Int(reader.data), 4_096), Self.readBytes))
      switch SocketCalls.read(from: descriptor, into: &buffer) {
      case .bytes(0): return end(nil)
      case .bytes(let count): if !isFinishing { handlers?.received(buffer[..<count]) }
      case .wouldBlock: return
      case .failed(let code): return end(SocketCalls.error(code, "the connection broke to", name))
      }
    }
    if isFinishing { cancel() }
  }

  private func write() {
    while !isCancelled, let piece = unsent.first {
      switch SocketCalls.write(piece[offset...], to: descriptor) {
      case .bytes(let count):
        offset += count
        unsentBytes -= count
        if offset == piece.count {
          unsent.removeFirst()
          offset = 0
        }
      case .wouldBlock:
        if isWriterSuspended {
          isWriterSuspended = false
          writer.resume()
        }
        return
      case .failed(let code): return end(SocketCalls.error(code, "the connection broke to", name))
      }
    }
    guard !isCancelled else { return }
    if !isWriterSuspended {
      isWriterSuspended = true
      writer.suspend()
    }
    if isFinishing { SocketCalls.endWriting(descriptor) }
  }

  private func end(_ error: TreeError?) {
    if !isFinishing { handlers?.ended(error) }
    cancel()
  }
}
