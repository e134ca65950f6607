import TestSupport
import Testing

@testable import OfflineTree

@Suite struct StorageTests {
  private static let chunk = Limits.chunkBytes

  @Test(arguments: [0, 1, 1_000, chunk - 1, chunk, chunk + 1, 9 * chunk + 77])
  func `what was stored comes back`(_ count: Int) async throws {
    let fixture = try StorageFixture()
    let bytes = StorageFixture.noise(count, seed: UInt64(count))
    let metadata = try await fixture["a/b.jpg"].putData(bytes)
    #expect(metadata.size == Int64(count) && metadata.contentType == "image/jpeg" && metadata.isHere)
    #expect(metadata.path == "a/b.jpg" && metadata.name == "b.jpg" && metadata.deviceName == "a")
    #expect(try await fixture["a/b.jpg"].getData(maxSize: Int64(count)) == bytes)
    let path = "\(fixture.folder.path)/out"
    try await fixture["a/b.jpg"].write(toFile: path)
    #expect(try FileSystem.readFile(path, maximumBytes: count) == bytes)
    #expect(try FileSystem.list(fixture.folder.path) == ["a", "out"])
    try await fixture["copy"].putFile(from: path)
    #expect(try await fixture["copy"].getData(maxSize: .max) == bytes)
    #expect(try fixture.database.verify().problems == [])
  }

  @Test func `a reference is a place`() throws {
    let fixture = try StorageFixture()
    let image = fixture.storage.reference().child("profile_image").child("/a/b.jpg")
    #expect(image.fullPath == "profile_image/a/b.jpg" && image.name == "b.jpg")
    #expect(image.parent()?.fullPath == "profile_image/a" && image.parent()?.parent()?.parent()?.fullPath == "")
    #expect(image.root().parent() == nil && image.root() == fixture.storage.reference())
    #expect(image == fixture["profile_image/a/b.jpg"] && image.bucket == fixture.database.spaceID.description)
  }

  @Test func `equal contents are kept once`() async throws {
    let fixture = try StorageFixture()
    let bytes = StorageFixture.noise(3 * Self.chunk, seed: 1)
    try await fixture["one"].putData(bytes)
    // Three chunks and a manifest.
    #expect(try StorageFixture.chunkCount(fixture.database) == 4)
    try await fixture["two"].putData(bytes)
    #expect(try StorageFixture.chunkCount(fixture.database) == 4)
    try await fixture["three"].putData(bytes + [1])
    #expect(try StorageFixture.chunkCount(fixture.database) == 6)
  }

  @Test func `contents of two spaces have nothing in common`() throws {
    let (one, two) = (try StorageFixture(), try StorageFixture())
    let bytes = Array("the same".utf8)
    #expect(
      Chunk.id(.data, bytes, space: one.database.spaceID) != Chunk.id(.data, bytes, space: two.database.spaceID))
    #expect(
      Chunk.id(.data, bytes, space: one.database.spaceID) != Chunk.id(.manifest, bytes, space: one.database.spaceID))
  }

  @Test func `what compresses is kept compressed`() async throws {
    let fixture = try StorageFixture()
    let bytes = [UInt8](repeating: 7, count: Self.chunk)
    let chunk = try Chunk(.data, bytes, space: fixture.database.spaceID)
    #expect(chunk.form.count < 1_000)
    #expect(try Chunk.open(chunk.form).content == bytes)
    let noise = StorageFixture.noise(Self.chunk, seed: 2)
    #expect(try Chunk(.data, noise, space: fixture.database.spaceID).form.count == Self.chunk + 6)
  }

  @Test func `errors say what people of Firebase expect`() async throws {
    let fixture = try StorageFixture()
    #expect(await errorCodeOf { try await fixture["no"].getData(maxSize: 10) } == .notFound)
    #expect(await errorCodeOf { try await fixture["no"].getMetadata() } == .notFound)
    #expect(await errorCodeOf { try await fixture["no"].delete() } == .notFound)
    #expect(
      await errorCodeOf { try await fixture["no"].updateMetadata(StorageMetadata(contentType: "a/b")) } == .notFound)
    #expect(await errorCodeOf { try await fixture[""].putData([1]) } == .invalidArgument)
    #expect(await errorCodeOf { try await fixture["a/../b"].putData([1]) } == .invalidArgument)
    try await fixture["yes"].putData([1, 2, 3])
    #expect(await errorCodeOf { try await fixture["yes"].getData(maxSize: 2) } == .downloadSizeExceeded)
    let type = StorageMetadata(contentType: "a\nb")
    #expect(await errorCodeOf { try await fixture["yes"].putData([1], metadata: type) } == .invalidArgument)
    #expect(await errorCodeOf { try await fixture["yes"].putFile(from: "/nowhere/at/all") } == .notFound)
    #expect(await errorCodeOf { try await fixture["yes"].list(maxResults: 0) } == .invalidArgument)
  }

  @Test func `the content type can be changed, and the content stays`() async throws {
    let fixture = try StorageFixture()
    try await fixture["a"].putData([1], metadata: StorageMetadata(contentType: "text/plain"))
    let changed = try await fixture["a"].updateMetadata(StorageMetadata(contentType: "text/csv"))
    #expect(changed.contentType == "text/csv")
    #expect(try await fixture["a"].getData(maxSize: 1) == [1])
  }

  @Test func `a folder is listed in pages, files and folders beside each other`() async throws {
    let fixture = try StorageFixture()
    for name in ["a", "a/1.jpg", "a/2.jpg", "a/b/3.jpg", "a/b/4.jpg", "b.txt", "c/5"] {
      try await fixture[name].putData(Array(name.utf8))
    }
    let top = try await fixture.storage.reference().listAll()
    #expect(top.items.map(\.fullPath) == ["a", "b.txt"])
    #expect(top.prefixes.map(\.fullPath) == ["a", "c"])
    let a = try await fixture["a"].listAll()
    #expect(a.items.map(\.name) == ["1.jpg", "2.jpg"] && a.prefixes.map(\.name) == ["b"])
    var (names, token): ([String], String?) = ([], nil)
    var pages = 0
    repeat {
      let page = try await fixture["a"].list(maxResults: 1, pageToken: token)
      names += page.items.map(\.name) + page.prefixes.map(\.name)
      token = page.pageToken
      pages += 1
    } while token != nil
    #expect(names.sorted() == ["1.jpg", "2.jpg", "b"] && pages == 3)
    #expect(await errorCodeOf { try await fixture["c"].list(maxResults: 1, pageToken: "A") } == .invalidArgument)
    try await fixture["a/b/3.jpg"].delete()
    try await fixture["a/b/4.jpg"].delete()
    #expect(try await fixture["a"].listAll().prefixes == [])
  }

  @Test func `progress is told, and a cancelled upload leaves no file`() async throws {
    let fixture = try StorageFixture()
    let bytes = StorageFixture.noise(20 * Self.chunk, seed: 3)
    let task = StorageTask { progress in try await fixture["a"].putData(bytes, onProgress: progress) }
    var steps: [StorageProgress] = []
    for await step in task.progress { steps.append(step) }
    _ = try await task.value
    #expect(steps.last?.completedUnitCount == Int64(bytes.count))
    let other = StorageFixture.noise(20 * Self.chunk, seed: 4)
    let cancelled = StorageTask<Void> { progress in
      try await fixture["b"].putData(other) { step in
        progress(step)
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
    }
    #expect(await errorCodeOf { try await cancelled.value } == .cancelled)
    #expect(await errorCodeOf { try await fixture["b"].getMetadata() } == .notFound)
  }

  @Test func `a read that waits can be cancelled, and gives up`() async throws {
    let fixture = try StorageFixture()
    let name = try FileName("far")
    let content = FileContent(manifest: Bytes32(repeatElement(1, count: 32)), length: 10, type: "")
    try await fixture.database.write { $0.setFile(name, content) }
    #expect(try await fixture["far"].getMetadata().isHere == false)
    #expect(
      await errorCodeOf { try await fixture["far"].getData(maxSize: 10, patience: .milliseconds(10)) } == .unavailable)
    let task = StorageTask<[UInt8]> { _ in try await fixture["far"].getData(maxSize: 10) }
    task.cancel()
    #expect(await errorCodeOf { try await task.value } == .cancelled)
  }

  @Test func `which files come by themselves is a setting of the home`() async throws {
    let fixture = try StorageFixture()
    #expect(try fixture.storage.fetching() == Storage.defaultFetching)
    for fetching in [Storage.Fetching.all, .onDemand, .upTo(bytes: 1_000_000)] {
      try await fixture.storage.setFetching(fetching)
      #expect(try fixture.storage.fetching() == fetching)
    }
  }

  @Test func `rules say who may store a file`() async throws {
    let fixture = try StorageFixture(
      rules: """
        {"rules": {"$other": {".write": true}, "@files": {"public": {"$name": {".write": "$name.length < 6"}}}}}
        """)
    func refusal(_ name: String, _ content: FileContent?) throws -> RuleRefusal? {
      let rules = try Rules(Array(try #require(try fixture.database.read { try $0.genesis() }).rules))
      let change = Change(
        parents: [], stamp: .zero, wallTime: 0, operations: [.file(try FileName(name), content)])
      return rules.refusal(of: change, by: nil, .none)
    }
    let content = FileContent(manifest: .zero, length: 1, type: "")
    #expect(try refusal("public/a.b", content) == nil && refusal("public/a.b", nil) == nil)
    #expect(try refusal("public/abc.def", content)?.kind == .write)
    #expect(try refusal("other/a", content)?.kind == .write)
    #expect(try refusal("7", content)?.location == nil)
  }
}
