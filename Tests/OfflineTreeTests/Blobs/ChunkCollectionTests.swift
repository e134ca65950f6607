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

  @Test func `what was needed for long stays as long as what came lately, once no file needs it`() async throws {
    let fleet = try Fleet(1, seed: 6)
    let reference = fleet[0].storage.reference(withPath: "a")
    try await reference.putData([1])
    fleet.members[0].clock.advance(by: 2 * Database.chunkGrace)
    try await reference.delete()
    #expect(try await fleet[0].collectChunks() == ChunkCollection(removed: 0, loose: 2))
    fleet.members[0].clock.advance(by: Database.chunkGrace)
    #expect(try await fleet[0].collectChunks() == ChunkCollection(removed: 2, loose: 0))
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
    let type = StorageMetadata(contentType: "text/plain")
    #expect(await errorCodeOf { try await reference.updateMetadata(type) } == .refused)
    #expect(try await reference.conflicts() == conflicts)
    #expect(try await reference.getData(maxSize: 1_000, of: conflicts[0]) == one)
    try await reference.putData([1])
    #expect(try await reference.conflicts() == [])
    #expect(try await fleet[0].collectChunks(grace: 0).removed == 2)
    #expect(try await reference.getData(maxSize: 1) == [1])
  }

  @Test func `a file that names no list of chunks, or one of another length, wants nothing and stops nobody`()
    async throws
  {
    let fixture = try StorageFixture()
    let database = fixture.database
    try await fixture.storage.setFetching(.upTo(bytes: 100))
    let data = try Chunk(.data, Array("hello".utf8), space: database.spaceID)
    let list = Manifest(length: 3 * UInt64(Limits.chunkBytes), ids: (0..<3).map { Sodium.hash32([$0]) })
    let long = try Chunk(.manifest, list.encoded, space: database.spaceID)
    #expect(try database.keep(chunks: [(data.id, data.form), (long.id, long.form)]).isEmpty)
    try await database.write { transaction in
      transaction.setFile(try FileName("a"), FileContent(manifest: data.id, length: 5, type: ""))
      transaction.setFile(try FileName("b"), FileContent(manifest: long.id, length: 1, type: ""))
    }
    #expect(try database.wantedChunks(limit: 9, without: [], asker: ObjectIdentifier(database)).ids.isEmpty)
    for name in ["a", "b"] {
      #expect(try await !fixture[name].getMetadata().isHere)
      #expect(await errorCodeOf { try await fixture[name].getData(maxSize: .max) } == .damaged)
    }
    #expect(try await fixture.storage.reference().listAll().items.count == 2)
  }

  @Test func `a content that comes back while it is being collected is wanted again`() async throws {
    let fleet = try Fleet(2, seed: 3)
    let content = StorageFixture.noise(10, seed: 5)
    let reference = fleet[0].storage.reference(withPath: "a")
    try await reference.putData(content)
    try await fleet[0].storage.setFetching(.all)
    let (ids, database) = (try fleet[0].neededChunks().ids, fleet[0])
    let manifest = try #require(
      try ids.first { id in try database.view { rows, _ in try? rows.chunk(id, .manifest) } != nil })
    try await reference.delete()
    // Somebody needs the manifest until the look is over, and so only the chunk goes.
    fleet[0].chunkUses.begin([manifest])
    #expect(try await fleet[0].collectChunks(grace: 0).removed == 1)
    fleet[0].chunkUses.end([manifest])
    try await fleet[1].storage.reference(withPath: "b").putData(content)
    try fleet.meetAll()
    let wanted = try fleet[0].wantedChunks(limit: 9, without: [], asker: ObjectIdentifier(fleet[0])).ids
    #expect(wanted == ids.filter { $0 != manifest })
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
