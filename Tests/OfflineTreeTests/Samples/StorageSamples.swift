import OfflineTree
import Testing

/// The code of the catalogue's page on storage.
@Suite struct StorageSamples {
  @Test func `files are stored, read and watched`() async throws {
    let folder = try TemporaryFolder()
    let database = try Database.create(
      at: "\(folder.path)/a", space: "test", recovery: RecoveryCode(), deviceName: "a",
      options: Database.Options(durability: .unsafeNoSync))
    let bytes: [UInt8] = [1, 2, 3]
    let path = "\(folder.path)/film"
    try FileSystem.writeFileDurably(path, [4, 5, 6])
    // sample
    let image = database.storage.reference().child("profile_image/a.jpg")
    try await image.putData(bytes, metadata: StorageMetadata(contentType: "image/jpeg"))
    let same = try await image.getData(maxSize: 10 << 20)
    // end
    #expect(same == bytes)
    // sample
    let task = StorageTask { progress in try await image.putFile(from: path, onProgress: progress) }
    for await step in task.progress { print(step.completedUnitCount, step.totalUnitCount) }
    let metadata = try await task.value
    // end
    #expect(metadata.size == 3)
  }
}
