import TestSupport
import Testing

@testable import OfflineTree

@Suite struct ChunkCollectionTests {
  @Test func `what no file needs is collected after the grace period, and not before`() async throws {
    let fixture = try StorageFixture()
    try await fixture["a"].putData(StorageFixture.noise(3 * Limits.chunkBytes, seed: 1))
    try await fixture["b"].putData(StorageFixture.noise(2 * Limits.chunkBytes, seed: 2))
    #expect(try await fixture.database.collectChunks(grace: 0) == ChunkCollection())
    try await fixture["a"].delete()
    #expect(try await fixture.storage.collect() == ChunkCollection(removed: 0, loose: 4))
    #expect(try await fixture.database.collectChunks(grace: 0) == ChunkCollection(removed: 4, loose: 0))
    #expect(try StorageFixture.chunkCount(fixture.database) == 3)
    #expect(try await fixture["b"].getMetadata().isHere)
    #expect(try await fixture["b"].getData(maxSize: .max).count == 2 * Limits.chunkBytes)
  }

  @Test func `chunks of a file that is being stored stay`() async throws {
    let fixture = try StorageFixture()
    let bytes = StorageFixture.noise(30 * Limits.chunkBytes, seed: 3)
    let outcomes = Monitor<[ChunkCollection]>([])
    let (steps, step) = AsyncStream.makeStream(of: Void.self)
    let collecting = Task {
      for await _ in steps {
        let outcome = try await fixture.database.collectChunks(grace: 0)
        outcomes.withLock { $0.append(outcome) }
      }
    }
    try await fixture["a"].putData(bytes) { _ in step.yield() }
    step.finish()
    try await collecting.value
    #expect(outcomes.withLock { $0.allSatisfy { $0.removed == 0 } && !$0.isEmpty })
    #expect(try await fixture["a"].getData(maxSize: .max) == bytes)
  }

  @Test func `what an upload left behind that did not end is collected`() async throws {
    let fixture = try StorageFixture()
    let bytes = StorageFixture.noise(30 * Limits.chunkBytes, seed: 4)
    let task = StorageTask<Void> { _ in
      try await fixture["a"].putData(bytes) { _ in unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
    }
    #expect(await errorCodeOf { try await task.value } == .cancelled)
    #expect(try StorageFixture.chunkCount(fixture.database) == 8)
    #expect(try await fixture.database.collectChunks(grace: 0).removed == 8)
  }

  @Test func `contents in conflict are all kept, can be read, and go once it is settled`() async throws {
    let fleet = try Fleet(2, seed: 1)
    let (one, two) = (StorageFixture.noise(1_000, seed: 5), StorageFixture.noise(1_000, seed: 6))
    try await fleet[0].storage.reference(withPath: "a").putData(one)
    fleet.members[1].clock.advance(by: 10)
    try await fleet[1].storage.reference(withPath: "a").putData(two)
    try fleet.send(from: 1, to: 0)
    let reference = fleet[0].storage.reference(withPath: "a")
    let conflicts = try await reference.conflicts()
    #expect(conflicts.count == 1 && conflicts[0].isHere && conflicts[0].deviceName == "d0")
    #expect(try await reference.getMetadata().deviceName == "d1")
    #expect(try await fleet[0].collectChunks(grace: 0).removed == 0)
    #expect(try await reference.getData(maxSize: 1_000, of: conflicts[0]) == one)
    try await reference.putData([1])
    #expect(try await reference.conflicts() == [])
    #expect(try await fleet[0].collectChunks(grace: 0).removed == 2)
    #expect(try await reference.getData(maxSize: 1) == [1])
  }

  @Test func `a removal takes away what it had seen, and nothing else`() async throws {
    let fleet = try Fleet(2, seed: 2)
    let (here, there) = (fleet[0].storage.reference(withPath: "a"), fleet[1].storage.reference(withPath: "a"))
    try await here.putData([1])
    try fleet.send(from: 0, to: 1)
    try await here.delete()
    try await there.putData([2])
    try fleet.send(from: 0, to: 1)
    try fleet.send(from: 1, to: 0)
    #expect(try await there.getData(maxSize: 1) == [2])
    #expect(try await here.getMetadata().size == 1)
    #expect(try await here.conflicts() == [])
    try await there.delete()
    try fleet.send(from: 1, to: 0)
    #expect(await errorCodeOf { try await here.getMetadata() } == .notFound)
    #expect(try fleet[0].stateHash() == fleet[1].stateHash())
  }
}
