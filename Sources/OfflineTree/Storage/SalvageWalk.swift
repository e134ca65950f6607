/// A walk through all trees that the newest head of a data file leads to.
///
/// It looks at everything that LMDB relies on without looking: numbers and kinds of pages, offsets, the order of keys,
/// counts, and that no page is in use twice or in use and free. Where something is wrong it says so and goes on beside it.
struct SalvageWalk {
  /// How much is read.
  enum Depth {
    /// Branches alone, about a hundredth of the pages.
    case branches
    /// Every page, and the checksum of every record.
    case records
  }

  let file: SalvageFile
  let depth: Depth
  /// What is wrong, in sentences.
  private(set) var problems: [String] = []
  /// Of which only the first are in words.
  private var problemCount = 0
  /// Leaves and long values in which everything is right.
  private(set) var sound: PageSet
  /// Pages that the newest head leads to.
  private(set) var visited: PageSet
  /// Tables of which something is missing or wrong.
  private(set) var tornTables: Set<Table> = []
  private var meta: SalvageFile.Meta
  private var freePages: PageSet

  static let problemLimit = 100
  /// LMDB goes no deeper.
  private static let maximumDepth = 32
  private static let integerKey: UInt64 = 8

  /// Nil if neither head can be read.
  init?(_ file: SalvageFile, _ depth: Depth) {
    guard let meta = file.metas.first else { return nil }
    self.file = file
    self.depth = depth
    self.meta = meta
    sound = PageSet(count: file.pageCount)
    visited = PageSet(count: file.pageCount)
    freePages = PageSet(count: file.pageCount)
  }

  /// A tree that is being walked.
  private struct Place {
    let name: String
    let table: Table?
    var entries: UInt64 = 0
    var pages: [UInt64] = [0, 0, 0]
    var last: [UInt8]?
    let depth: Int
    let isFreeList: Bool
  }

  /// - Parameter record: Called with each record whose checksum fits.
  mutating func run(_ record: (Table, ArraySlice<UInt8>, ArraySlice<UInt8>) throws(TreeError) -> Void) throws(TreeError)
  {
    if file.metas.count < 2 { note("one of its two heads is not LMDB's") }
    for page in [UInt64(0), 1] { visited.insert(page) }
    var tables: [(Table, SalvageFile.Tree)] = []
    try walk(meta.tables, "the list of tables", nil) { (_, node, value) throws(TreeError) in
      let name = String(decoding: node.key, as: UTF8.self)
      let table = Table.allCases.first { $0.name.utf8.elementsEqual(name.utf8) }
      guard node.flags == SalvagePage.NodeFlag.tree, value.count == SalvageFile.Tree.byteCount, let table else {
        return "the list of tables has an entry that is no table"
      }
      tables.append((table, SalvageFile.Tree(value)))
      return nil
    }
    for table in Table.allCases where !tables.contains(where: { $0.0 == table }) {
      tornTables.insert(table)
      // A file of a program that knew fewer tables is sound: the next one that opens it makes them.
      if !problems.isEmpty { note("the table \(table.name) is not found") }
    }
    let file = file
    for (table, tree) in tables {
      let before = problemCount
      try walk(tree, "the table \(table.name)", table) { (_, node, value) throws(TreeError) in
        guard node.flags & SalvagePage.NodeFlag.tree == 0, let value = file.unsealed(node, table, value) else {
          return "a record of the table \(table.name) is damaged: \(hexadecimal(Array(node.key)))"
        }
        try record(table, node.key, value)
        return nil
      }
      if problemCount > before { tornTables.insert(table) }
    }
    if depth == .records { try checkFreeList() }
  }

  private mutating func checkFreeList() throws(TreeError) {
    let (last, transaction) = (meta.lastPage, meta.transaction)
    var listed: [UInt64] = []
    try walk(meta.free, "the list of free pages", nil, isFreeList: true) { (_, node, value) throws(TreeError) in
      guard node.key.count == 8, node.key.number(0, 8) <= transaction, value.count >= 8,
        case let count = value.number(0, 8), count < UInt64(value.count) / 8
      else { return "an entry of the list of free pages is damaged" }
      for index in 0..<Int(count) { listed.append(value.number(8 * (index + 1), 8)) }
      return nil
    }
    for page in listed where page < 2 || page > last || visited.contains(page) || !freePages.insert(page) {
      note("the page \(page) is listed as free, and is not")
    }
  }

  private mutating func walk(
    _ tree: SalvageFile.Tree, _ name: String, _ table: Table?, isFreeList: Bool = false,
    _ leaf: (UInt64, SalvagePage.Node, ArraySlice<UInt8>) throws(TreeError) -> String?
  ) throws(TreeError) {
    if tree.flags != (isFreeList ? Self.integerKey : 0) || tree.depth > Self.maximumDepth {
      return note("\(name) says of itself what cannot be")
    }
    guard let root = tree.root else {
      if tree.entries > 0 { note("\(name) has lost its root") }
      return
    }
    // Without a depth no level would be the last one.
    if tree.depth == 0 { return note("\(name) says of itself what cannot be") }
    var place = Place(name: name, table: table, depth: tree.depth, isFreeList: isFreeList)
    let before = problemCount
    try walk(root, level: 1, from: nil, to: nil, &place, leaf)
    guard problemCount == before, depth == .records else { return }
    if place.entries != tree.entries {
      note("\(name) has \(place.entries) entries, and says \(tree.entries)")
    } else if place.pages != tree.pages {
      note("\(name) has other pages than it says")
    }
  }

  /// - Parameters:
  ///   - low: The least key that can stand there, if there is one.
  ///   - high: The key that begins what stands behind.
  private mutating func walk(
    _ number: UInt64, level: Int, from low: [UInt8]?, to high: [UInt8]?, _ place: inout Place,
    _ leaf: (UInt64, SalvagePage.Node, ArraySlice<UInt8>) throws(TreeError) -> String?
  ) throws(TreeError) {
    let isLeaf = level == place.depth
    guard number >= 2, number <= meta.lastPage, number < file.pageCount else {
      return note("a page of \(place.name) is missing: \(number)")
    }
    guard visited.insert(number) else { return note("the page \(number) is in use twice, in \(place.name)") }
    if isLeaf, depth == .branches { return }
    guard let bytes = try file.page(number) else { return note("a page of \(place.name) is missing: \(number)") }
    let page = SalvagePage(number: number, bytes: bytes)
    let kind = isLeaf ? SalvagePage.Flag.leaf : SalvagePage.Flag.branch
    guard page.statedNumber == number, page.flags == kind, page.isHeadSound, page.nodeCount >= (isLeaf ? 1 : 2) else {
      return note("the page \(number) of \(place.name) is damaged")
    }
    place.pages[isLeaf ? 1 : 0] += 1
    let before = problemCount
    let nodes = (0..<page.nodeCount).map { page.node(at: page.offset($0), isBranch: !isLeaf) }
    if (0..<page.nodeCount).map({ page.offset($0) }).min() != page.upper {
      note("the page \(number) of \(place.name) is damaged: it holds more or less than it says")
    }
    for (index, node) in nodes.enumerated() {
      guard let node else {
        note("the page \(number) of \(place.name) is damaged: an entry does not lie in it")
        continue
      }
      if isLeaf {
        try take(node, on: number, from: low, to: high, &place, leaf)
      } else {
        let next = index + 1 < nodes.count ? nodes[index + 1].map { Array($0.key) } : nil
        let first = index == 0 ? low : Array(node.key)
        try walk(node.below, level: level + 1, from: first, to: next ?? high, &place, leaf)
      }
    }
    if isLeaf, problemCount == before { sound.insert(number) }
  }

  private mutating func take(
    _ node: SalvagePage.Node, on number: UInt64, from low: [UInt8]?, to high: [UInt8]?, _ place: inout Place,
    _ leaf: (UInt64, SalvagePage.Node, ArraySlice<UInt8>) throws(TreeError) -> String?
  ) throws(TreeError) {
    place.entries += 1
    // Numbers in the list of free pages are in the machine's order; all other keys are bytes.
    let key = place.isFreeList ? Array(node.key.reversed()) : Array(node.key)
    func isBelow(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }
    let bounds = [low, high].map { bound in bound.map { place.isFreeList ? $0.reversed() : $0 } }
    let isInOrder =
      place.last.map { isBelow($0, key) } ?? true && bounds[0].map { !isBelow(key, $0) } ?? true
      && bounds[1].map { isBelow(key, $0) } ?? true
    if !isInOrder { note("the page \(number) of \(place.name) is damaged: its keys are out of order") }
    place.last = key
    if node.flags & SalvagePage.NodeFlag.big != 0 {
      try checkLongValue(node, &place)
    }
    let value = try file.value(of: node)
    guard let value else { return note("a value of \(place.name) is missing") }
    if let problem = try leaf(number, node, value) { note(problem) }
  }

  private mutating func checkLongValue(_ node: SalvagePage.Node, _ place: inout Place) throws(TreeError) {
    let first = node.data.number(0, 8)
    let room = UInt64(file.pageSize)
    let least = (UInt64(SalvagePage.headBytes + node.count) + room - 1) / room
    // A value that was written over a longer one keeps its pages.
    guard first >= 2, first <= meta.lastPage, first < file.pageCount, meta.lastPage < .max,
      let head = try file.page(first),
      case let page = SalvagePage(number: first, bytes: head), page.statedNumber == first,
      page.flags == SalvagePage.Flag.overflow, case let count = page.overflowPages, count >= least,
      count <= min(meta.lastPage + 1, file.pageCount) - first
    else { return note("the pages of a long value of \(place.name) are damaged: from \(first) on") }
    for number in first..<first + count {
      // Of many values that say they are on the same pages, each would be gone through to its end.
      guard visited.insert(number) else { return note("the page \(number) is in use twice, in \(place.name)") }
      sound.insert(number)
    }
    place.pages[2] += count
  }

  private mutating func note(_ problem: String) {
    problemCount += 1
    if problems.count < Self.problemLimit { problems.append(problem) }
  }
}

/// A set of numbers of pages.
struct PageSet: Sendable {
  private var words: [UInt64]

  init(count: UInt64) { words = [UInt64](repeating: 0, count: Int(count / 64) + 1) }

  func contains(_ page: UInt64) -> Bool {
    page / 64 < UInt64(words.count) && words[Int(page / 64)] >> (page % 64) & 1 == 1
  }

  /// Whether it was not in the set; a number behind the end of the file never is.
  @discardableResult
  mutating func insert(_ page: UInt64) -> Bool {
    guard page / 64 < UInt64(words.count), !contains(page) else { return page / 64 >= UInt64(words.count) }
    words[Int(page / 64)] |= 1 << (page % 64)
    return true
  }
}
