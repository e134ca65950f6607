extension StorageReference {
  /// What is known of the file.
  /// - Throws: `notFound` where there is none.
  public func getMetadata() async throws -> StorageMetadata {
    let name = try requireName()
    guard let first = try await versions(of: name).first else { throw notFound(name) }
    return first
  }

  /// What is live of the file and not shown, newest first: what devices stored that did not know of each other. Storing
  /// the file again, or removing it, settles it. `getData(maxSize:of:)` reads such a content.
  public func conflicts() async throws -> [StorageMetadata] {
    Array(try await versions(of: try requireName()).dropFirst())
  }

  private func versions(of name: FileName) async throws -> [StorageMetadata] {
    try await database.readAside { [bucket] transaction in
      var seen: Set<FileContent> = []
      // The same content, stored twice, is no conflict.
      return try transaction.files(name).filter { seen.insert($0.content).inserted }.map { file in
        StorageMetadata(file, bucket: bucket, isHere: try transaction.rows.isComplete(file.content))
      }
    }
  }

  /// The files and folders right below this place, one page of them, in the order of keys of the tree.
  /// - Parameters:
  ///   - maxResults: 1 to 1,000.
  ///   - pageToken: Of the page before.
  /// - Throws: `invalidArgument` for another number, or what is no token of this place.
  /// - Complexity: O(results · log n).
  public func list(maxResults: Int, pageToken: String? = nil) async throws -> StorageListResult {
    guard (1...1_000).contains(maxResults) else {
      throw TreeError(.invalidArgument, "\(maxResults) is not between 1 and 1,000", advice: "Read several pages.")
    }
    let folder = try FileName.folder(fullPath)
    var from = folder.bytes + [0]
    if let pageToken {
      guard let token = Base64URL.decode(pageToken.utf8), token.isExact, token.bytes.starts(with: folder.bytes) else {
        throw TreeError(.invalidArgument, "the token of a page is not one of \(fullPath)", advice: "Begin anew.")
      }
      from = token.bytes
    }
    let start = from
    return try await database.readAside { [self] transaction in
      try page(folder, from: start, maxResults, transaction)
    }
  }

  /// All files and folders right below this place.
  public func listAll() async throws -> StorageListResult {
    var (prefixes, items): ([StorageReference], [StorageReference]) = ([], [])
    var token: String?
    repeat {
      let page = try await list(maxResults: 1_000, pageToken: token)
      prefixes += page.prefixes
      items += page.items
      token = page.pageToken
    } while token != nil
    return StorageListResult(prefixes: prefixes, items: items, pageToken: nil)
  }

  private func page(
    _ folder: PathKey, from start: [UInt8], _ limit: Int, _ transaction: ReadTransaction
  ) throws -> StorageListResult {
    var (prefixes, items): ([StorageReference], [StorageReference]) = ([], [])
    var next = start
    while true {
      guard let found = try transaction.firstFile(atLeast: next, below: folder) else { break }
      if prefixes.count + items.count == limit {
        let token = Base64URL.encode(next)
        return StorageListResult(prefixes: prefixes, items: items, pageToken: token)
      }
      let end = found.key.componentEnd(from: folder.bytes.count)
      let child = child(FileName(trusted: PathKey(trusted: found.key.bytes[..<end])).lastSegment)
      if end == found.key.bytes.count {
        items.append(child)
        next = found.key.bytes + [0]
      } else {
        prefixes.append(child)
        next = Array(found.key.bytes[..<end]) + [0xFF]
      }
    }
    return StorageListResult(prefixes: prefixes, items: items, pageToken: nil)
  }
}

extension FileName {
  /// What follows the last slash.
  fileprivate var lastSegment: String { key.lastKey?.text ?? "" }
}
