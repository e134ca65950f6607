internal import Dispatch
import OfflineTree

/// A socket that listens, and the source that tells when somebody connects.
///
/// Its state is touched on `queue` alone, and Dispatch's calls are safe from any thread: hence `Sendable`.
final class ListeningSocket: @unchecked Sendable {
  /// Seconds without accepting after the process ran out of descriptors.
  private static let pauseSeconds = 1

  let port: Int
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "OfflineTree.listener")
  private let source: any DispatchSourceRead
  private var isHeld = false

  /// Listens at once, with a queue of the system's own until `start`.
  init(host: String, port: Int) throws(TreeError) {
    let descriptor = try SocketCalls.listening(host: host, port: port)
    do throws(TreeError) {
      self.port = try SocketAddress.port(of: descriptor)
    } catch {
      SocketCalls.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setCancelHandler { SocketCalls.close(descriptor) }
  }

  /// Hands each accepted descriptor, ready for use, to `accepted`. To be called once.
  func start(accepted: @escaping @Sendable (Int32) -> Void, failed: @escaping @Sendable (TreeError) -> Void) {
    source.setEventHandler { [self] in accept(accepted, failed) }
    source.resume()
  }

  /// Closes the socket, once it is started.
  func close() {
    source.cancel()
    letGo()
  }

  /// Accepts nobody until `letGo`. Only from within `accepted`.
  func hold() {
    isHeld = true
    source.suspend()
  }

  /// Accepts again, if it was held.
  func letGo() {
    queue.async { [self] in
      if isHeld { source.resume() }
      isHeld = false
    }
  }

  private func accept(_ accepted: (Int32) -> Void, _ failed: (TreeError) -> Void) {
    while !source.isCancelled, !isHeld {
      switch SocketCalls.nextConnection(descriptor) {
      case .none: return
      case .exhausted(let error):
        failed(error)
        return pause()
      case .connected(let connected):
        do throws(TreeError) {
          try SocketCalls.prepare(connected, "a device that connected")
          accepted(connected)
        } catch {
          SocketCalls.close(connected)
          failed(error)
        }
      }
    }
  }

  /// The source would fire again at once, for the same connection that there is no descriptor for.
  private func pause() {
    source.suspend()
    queue.asyncAfter(deadline: .now() + .seconds(Self.pauseSeconds)) { [self] in source.resume() }
  }
}
