/// Where registers stand: in the table `tree` if they show as scalars, else in `hidden`.
///
/// A node is an object if and only if the next key of `tree` extends its key, so no row of `tree` is above another.
extension Replica {
  enum Place: Equatable {
    case nowhere
    case tree
    case hidden
  }

  struct FoundRegister {
    var register: Register
    var place: Place
    var isFlag = false
  }

  func register(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> FoundRegister {
    if let held = counters.registers[path] { return FoundRegister(register: held, place: .tree) }
    if let row = try PathTable.tree.get(path.bytes, in: rows) {
      guard let register = try Register.decode(row) else {
        return FoundRegister(register: Register(), place: .tree, isFlag: true)
      }
      return FoundRegister(register: register, place: .tree)
    }
    if try !PathTable.hidden.isEmpty(in: rows), let row = try PathTable.hidden.get(path.bytes, in: rows),
      let register = try Register.decode(row)
    {
      return FoundRegister(register: register, place: .hidden)
    }
    return FoundRegister(register: Register(), place: .nowhere)
  }

  /// How the register at `path` is looked at.
  func view(
    _ path: PathKey, _ register: Register, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Register.View {
    guard let element = declarations.element(of: path)?.path else { return .newest }
    if let rivals = try rivals(element, rows) { return .owned(by: rivals.first?.dot) }
    // An element with one creator has only that one's versions.
    return .owned(by: register.versions.first?.dot)
  }

  /// Stores a register where it belongs now.
  mutating func place(
    _ path: PathKey, _ found: FoundRegister, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try willChange(path, rows)
    touched.insert(path)
    counters.registers[path] = nil
    let register = found.register
    if register.isEmpty { return try remove(path, from: found.place, &acting, rows) }
    let shown = register.scalar(try view(path, register, rows))
    var shows = shown != nil
    if shows, found.place != .tree { shows = try !hasShown(below: path, rows) }
    var writer = ByteWriter(capacity: 64)
    register.encode(shown: shown, to: &writer)
    if shows {
      try PathTable.tree.put(path.bytes, writer.bytes, in: rows)
      if found.place == .hidden { try PathTable.hidden.delete(path.bytes, in: rows) }
      if found.place != .tree { try hideAbove(path, rows) }
    } else {
      try PathTable.hidden.put(path.bytes, writer.bytes, in: rows)
      if found.place == .tree { try remove(path, from: .tree, &acting, rows) }
    }
  }

  mutating func remove(
    _ path: PathKey, from place: Place, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    switch place {
    case .nowhere: return
    case .hidden: try PathTable.hidden.delete(path.bytes, in: rows)
    case .tree:
      try willChange(path, rows)
      try PathTable.tree.delete(path.bytes, in: rows)
      if try !PathTable.hidden.isEmpty(in: rows) { acting.uncovered.formUnion(path.ancestors) }
    }
  }

  func hasShown(below path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    try PathTable.tree.hasKey(strictlyExtending: path.bytes, in: rows)
  }

  /// A row has come into the tree: a scalar above it shows no longer.
  mutating func hideAbove(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let key = try PathTable.tree.predecessor(of: path.bytes, in: rows) else { return }
    let above = PathKey(trusted: key)
    guard above.isPrefix(of: path) else { return }
    try willChange(above, rows)
    try storeRegister(above, rows)
    guard let row = try PathTable.tree.get(key, in: rows) else { return }
    try PathTable.hidden.put(key, row, in: rows)
    try PathTable.tree.delete(key, in: rows)
    touched.insert(above)
  }

  /// Brings back into the tree what is hidden above rows that have gone, the deepest first.
  mutating func uncover(_ acting: inout Acting, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard !acting.uncovered.isEmpty else { return }
    for path in acting.uncovered.sorted(by: { $0.bytes.count > $1.bytes.count }) {
      guard let row = try PathTable.hidden.get(path.bytes, in: rows), let register = try Register.decode(row) else {
        continue
      }
      try place(path, FoundRegister(register: register, place: .hidden), &acting, rows)
    }
  }
}
