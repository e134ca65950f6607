internal import OfflineTree

/// Merges a Firebase export into a space, in changes of bounded size.
///
/// The document is read up to three times: to count the flags that each counter has, since a counter's number is its
/// count less its flags; to write everything but the flags; and to turn each flag that is true into its voter's vote,
/// and give nodes that exist by then their priorities.
/// Memory holds one change at a time.
struct Importer {
  private let database: Database
  private let source: ImportSource
  let declarations: Declarations
  private let isOwner: Bool
  /// Who imports: an owner's device does it as administration, since the votes are those of many.
  private let author: Key?
  private let bar: ProgressBar
  let report: (String) -> Void
  /// By counter: how many flags of the document are true, and what the votes came to before the import.
  let flags: CountTable
  let votesBefore: CountTable

  init(
    _ source: ImportSource, into database: Database, bar: ProgressBar, report: @escaping (String) -> Void
  ) throws {
    guard let genesis = try database.read({ try $0.genesis() }) else {
      throw TreeError(
        .refused, "this device knows nothing of the space yet",
        advice: "Add a remote and run \"\(Program.name) sync\" first.")
    }
    self.database = database
    self.source = source
    self.bar = bar
    self.report = report
    declarations = try Declarations(addOnlySets: genesis.addOnlySets, flags: genesis.flags)
    isOwner = try database.isOwner()
    author = isOwner ? nil : try Auth(database).currentUser?.uid
    flags = try CountTable(folder: database.home)
    votesBefore = try CountTable(folder: database.home)
    for flag in genesis.flags { try countVotes(flag.template) }
  }

  /// - Throws: `refused` before anything is written if elements need another home; anything else may leave a part of the
  ///   document imported: the same import goes on from there.
  func run() throws -> ImportTally {
    let hasPriorities = try countFirst()
    var tally = try write(pass: 1, values)
    if hasPriorities || !flags.isEmpty { tally += try write(pass: 2, votesAndPriorities) }
    return tally
  }

  private func pass(_ number: Int, _ body: (ImportItem) throws -> Void) throws {
    var reader = ImportReader(source.scanner())
    while let item = try reader.next() {
      try body(item)
      bar.show(number * source.byteCount + reader.offset, of: 3 * source.byteCount)
    }
  }

  // MARK: Counting

  private func countVotes(_ template: String) throws {
    let fixed = template.split(separator: "/").prefix { $0 != "*" && $0 != "$voter" }.joined(separator: "/")
    try database.read { transaction in
      try transaction.forEachLeaf(at: try Path(fixed)) { path, _ in
        guard let vote = declarations.vote(flag: PathKey(path)) else { return true }
        try votesBefore.add(Int64(try transaction.choice(of: vote.voter, at: vote.counter.path)), to: vote.counter)
        return true
      }
    }
  }

  /// Counts, and so reads the document to its end before anything is written.
  private func countFirst() throws -> Bool {
    do {
      return try count()
    } catch let error as TreeError where error.code == .invalidArgument && error.advice.isEmpty {
      throw TreeError(
        .invalidArgument, error.context, advice: "Nothing was imported. Correct the document, and import it again.",
        underlying: error.underlying)
    }
  }

  /// Counts the flags; on a home that is no owner's, finds the first element that only an owner could add.
  /// - Returns: Whether the document has priorities.
  private func count() throws -> Bool {
    var checked: PathKey?
    var hasPriorities = false
    try pass(0) { item in
      guard case .leaf(let path, let value) = item else {
        hasPriorities = true
        return
      }
      let place = PathKey(path)
      if let vote = declarations.vote(flag: place) {
        if value == .bool(true) { try flags.add(1, to: vote.counter) }
      } else if !isOwner, let element = declarations.element(of: place), element.keys == .own, element.path != checked {
        checked = element.path
        try requireExisting(element.path.path)
      }
    }
    return hasPriorities
  }

  private func requireExisting(_ element: Path) throws {
    if try database.read({ try $0.exists(at: element) }) { return }
    throw TreeError(
      .refused, "the key of \(element) is not bound to this device, so nothing was imported",
      advice: "Import on an owner's home, such as the one that made the space, and sync.")
  }

  // MARK: Writing

  private func write(
    pass number: Int, _ units: (ImportItem, inout ImportElement?) throws -> [ImportUnit]
  ) throws -> ImportTally {
    var tally = ImportTally()
    var batch = ImportBatch()
    var element: ImportElement?
    try pass(number) { item in
      for unit in try units(item, &element) { try append(unit, to: &batch, &tally) }
    }
    if let element { try append(.element(finished(element)), to: &batch, &tally) }
    try commit(batch, &tally)
    return tally
  }

  private func append(_ unit: ImportUnit, to batch: inout ImportBatch, _ tally: inout ImportTally) throws {
    if batch.isFull(with: unit) {
      try commit(batch, &tally)
      batch = ImportBatch()
    }
    batch.append(unit)
  }

  private func commit(_ batch: ImportBatch, _ tally: inout ImportTally) throws {
    if batch.isEmpty { return }
    var written = try database.write(as: author, isImport: isOwner) { try ImportWriter().write(batch, in: $0) }
    for note in written.notes { report("skipped: \(note)") }
    written.notes = []
    tally += written
  }
}
