internal import OfflineTree

extension Command {
  private static let type = Option(
    name: "--type", value: "TYPE", summary: "the content type of what is stored, as image/jpeg")
  private static let wait = Option(
    name: "--wait", value: "SECONDS", summary: "how long to wait for a content that is not here; 600 unless given")

  static let files = Command(
    name: "files", usage: "put FILE NAME | get NAME FILE | list [FOLDER] | remove NAME | fetch [all|on-demand|BYTES]",
    summary: "files beside the tree, of any kind, up to 16 GiB each",
    details: """
      Every device knows the names. "fetch" says, or sets, which contents this device fetches without being asked for: files
      of up to 8 MiB unless it was told otherwise. "get" of one that is not here waits until "run" or "sync" of this home has
      brought it. "list" prints the bytes, whether the content is here, and the name of each.
      """,
    options: [type, wait], operands: 1...3,
    example: "jokes-sync files put ~/whale.jpg murals/whale.jpg\njokes-sync files get murals/whale.jpg whale.jpg"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    database.actsAsSignedIn()
    let storage = database.storage
    let words = invocation.arguments.operands
    switch (words[0], words.count) {
    case ("put", 3): try await put(absolutePath(words[1]), storage.reference(withPath: words[2]), invocation)
    case ("get", 3): try await get(storage.reference(withPath: words[1]), absolutePath(words[2]), invocation)
    case ("list", 1), ("list", 2): try await list(storage.reference(withPath: invocation.operand(1) ?? ""), invocation)
    case ("remove", 2): try await storage.reference(withPath: words[1]).delete()
    case ("fetch", 1): try invocation.console.print(text(try storage.fetching()))
    case ("fetch", 2): try await storage.setFetching(try fetching(words[1], invocation))
    default: throw invocation.usage("\"files \(words.joined(separator: " "))\" is not understood")
    }
  }

  private static func put(_ path: String, _ file: StorageReference, _ invocation: Invocation) async throws {
    let metadata = StorageMetadata(contentType: invocation.arguments.value(of: type.name))
    let bar = ProgressBar("Storing", invocation.console)
    defer { bar.end() }
    try await file.putFile(from: path, metadata: metadata) { step in
      bar.show(Int(step.completedUnitCount), of: Int(step.totalUnitCount))
    }
  }

  private static func get(_ file: StorageReference, _ path: String, _ invocation: Invocation) async throws {
    let seconds = try invocation.arguments.count(of: wait.name, default: 600)
    let bar = ProgressBar("Reading", invocation.console)
    defer { bar.end() }
    if try await !file.getMetadata().isHere {
      invocation.console.report("The content is not here yet: waiting for a sync. Ctrl-C gives up.")
    }
    try await file.write(toFile: path, patience: .seconds(seconds)) { step in
      bar.show(Int(step.completedUnitCount), of: Int(step.totalUnitCount))
    }
  }

  private static func list(_ folder: StorageReference, _ invocation: Invocation) async throws {
    let found = try await folder.listAll()
    for prefix in found.prefixes {
      try invocation.console.print("\(padded("")) \(padded("")) \(TerminalText.line(prefix.fullPath))/")
    }
    for item in found.items {
      let metadata = try await item.getMetadata()
      let state = metadata.isHere ? "here" : "elsewhere"
      try invocation.console.print("\(padded("\(metadata.size)")) \(padded(state)) \(TerminalText.line(item.fullPath))")
    }
  }

  private static func padded(_ text: String) -> String {
    String(repeating: " ", count: max(0, 11 - text.utf8.count)) + text
  }

  private static func text(_ fetching: Storage.Fetching) -> String {
    switch fetching {
    case .all: "all"
    case .onDemand: "on-demand"
    case .upTo(let bytes): "\(bytes)"
    }
  }

  private static func fetching(_ word: String, _ invocation: Invocation) throws -> Storage.Fetching {
    switch word {
    case "all": return .all
    case "on-demand": return .onDemand
    default:
      guard let bytes = UInt64(word) else {
        throw invocation.usage("\"\(word)\" is neither all, on-demand nor a number")
      }
      return .upTo(bytes: bytes)
    }
  }
}

extension Database {
  /// References write as who is logged in, or as nobody.
  fileprivate func actsAsSignedIn() { _ = Auth(self) }
}
