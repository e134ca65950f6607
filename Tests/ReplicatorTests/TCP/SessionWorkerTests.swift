import OfflineTree
import Testing

@testable import Replicator

@Suite struct SessionWorkerTests {
  private let devices: TCPDevices
  private let authority: TestAuthority
  private let worker: SessionWorker
  private static let peer = Bytes32([UInt8](repeating: 9, count: 32))

  init() throws {
    devices = try TCPDevices(1)
    authority = TestAuthority(devices.databases[0])
    worker = SessionWorker(devices.databases[0], authority.membership)
    worker.admit(Self.peer, .member)
  }

  private func perform(_ job: SessionJob) async -> Result<SessionAnswer, TreeError> {
    await withCheckedContinuation { continuation in
      worker.perform(job) { continuation.resume(returning: $0) }
    }
  }

  @Test func `nothing is handed out once the other device has ended`() async throws {
    try await devices.post("before", by: 0)
    _ = try await perform(.compare(VectorClock([]))).get()
    guard case .pulled(let segments, let changes, _) = try await perform(.pull(maximumBytes: 1 << 20)).get() else {
      Issue.record("no changes")
      return
    }
    #expect(!segments.isEmpty && changes == 3)
    try await devices.post("after", by: 0)
    authority.set(.ended, of: Self.peer)
    guard case .failure(let error) = await perform(.pull(maximumBytes: 1 << 20)) else {
      Issue.record("it was handed out")
      return
    }
    #expect(error == Admission.refusal(of: Self.peer))
  }

  @Test func `whether a device may stay is asked anew each time`() async {
    func mayStay() async -> Bool {
      await withCheckedContinuation { continuation in
        worker.judge { result in
          if case .success = result {
            continuation.resume(returning: true)
          } else {
            continuation.resume(returning: false)
          }
        }
      }
    }
    #expect(await mayStay())
    authority.set(.unknown, of: Self.peer)
    #expect(await !mayStay())
    authority.set(.member, of: Self.peer)
    #expect(await mayStay())
  }
}
