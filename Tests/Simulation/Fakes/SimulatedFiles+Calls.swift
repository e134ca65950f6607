import OfflineTree

extension SimulatedFiles {
  func list(_ path: String) throws(TreeError) -> [String] {
    try alive()
    return try check(
      change { state -> Result<[String], TreeError> in
        let folder = path.utf8.elementsEqual(Self.root.utf8) ? "" : Self.below(path)
        let names: [String]
        if folder.isEmpty {
          let loose = state.files.keys.filter { !$0.utf8.contains(UInt8(ascii: "/")) && !state.hidden.contains($0) }
          names = Array(state.folders) + loose
        } else if state.folders.contains(folder) {
          names = state.files.keys.filter { $0.hasPrefix(folder + "/") && !state.hidden.contains($0) }
            .map { String($0.dropFirst(folder.count + 1)) }
        } else {
          return .failure(TreeError(.notFound, "cannot list the folder \(path)"))
        }
        return .success(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      })
  }

  func look(at path: String) -> (kind: FileSystem.ItemKind, stamp: FileStamp)? {
    change { state in
      if state.isDead { return nil }
      let name = Self.below(path)
      if state.folders.contains(name) { return (.folder, FileStamp(size: 0, modified: 0, inode: 1)) }
      guard let file = state.files[name], !state.hidden.contains(name) else { return nil }
      return (.file, Self.stamp(file))
    }
  }

  /// No disk is exchanged for another.
  func volume(of path: String) throws(TreeError) -> FileSystem.Volume { FileSystem.Volume(device: 1, number: 0) }

  func readStart(_ path: String, count: Int) throws(TreeError) -> (bytes: [UInt8], stamp: FileStamp)? {
    let file = try reading(path)
    return (Array(file.bytes.prefix(count)), Self.stamp(file))
  }

  func read(_ path: String, maximumBytes: Int) throws(TreeError) -> [UInt8] {
    let bytes = try reading(path).bytes
    if bytes.count > maximumBytes { throw TreeError(.limitExceeded, "\(path) is longer than \(maximumBytes) bytes") }
    return bytes
  }

  private func reading(_ path: String) throws(TreeError) -> File {
    try alive()
    return try check(
      change { state -> Result<File, TreeError> in
        let name = Self.below(path)
        if let fault = state.fault, fault.kind == .vanishes {
          state.fault = fault.calls > 0 ? (.vanishes, fault.calls - 1) : nil
          if fault.calls == 0 { (state.files[name], state.durable[name]) = (nil, nil) }
        }
        guard let file = state.files[name] else { return .failure(TreeError(.notFound, "cannot open \(path)")) }
        return .success(file)
      })
  }

  func writeNew(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(TreeError) {
    let name = Self.below(path)
    let fault = try due()
    if fault == .full { throw TreeError(.full, "cannot create \(path)") }
    let part = fault == nil ? bytes : Array(bytes.prefix(bytes.count / 2))
    change { $0.files[name] = $0.made(name, part) }
    try raise(fault, "cannot write \(path)")
  }

  func rename(_ path: String, to name: String) throws(TreeError) {
    let fault = try due()
    if fault == .io || fault == .full || fault == .short { throw TreeError(.inputOutput, "cannot rename \(path)") }
    let (from, to) = (Self.below(path), Self.below(name))
    try check(
      change { state -> Result<Void, TreeError> in
        guard let file = state.files[from] else { return .failure(TreeError(.notFound, "cannot rename \(path)")) }
        state.files[from] = nil
        state.files[to] = state.made(to, file.bytes)
        return .success(())
      })
    try raise(fault, "cannot rename \(path)")
  }

  func remove(_ path: String) throws(TreeError) {
    let fault = try due()
    let name = Self.below(path)
    if fault == .io || fault == .short { throw TreeError(.inputOutput, "cannot remove \(path)") }
    change { state in
      guard let file = state.files[name] else { return }
      state.files[name] = nil
      if name.hasSuffix(".seg") { state.removed.append(Removal(path: name, file: file, left: state.durable)) }
    }
    try raise(fault == .full ? nil : fault, "cannot remove \(path)")
  }

  @discardableResult
  func makeFolder(_ path: String, mode: UInt32) throws(TreeError) -> Bool {
    try raise(try due(), "cannot make the folder \(path)")
    return change { $0.folders.insert(Self.below(path)).inserted }
  }

  func syncFolder(_ path: String) throws(TreeError) {
    try raise(try due(), "cannot sync the folder \(path)")
    let folder = Self.below(path) + "/"
    change { state in
      for name in state.durable.keys where name.hasPrefix(folder) && state.files[name] == nil {
        state.durable[name] = nil
      }
      for (name, file) in state.files where name.hasPrefix(folder) { state.durable[name] = file }
    }
  }

  func pause(milliseconds: UInt32) {}

  /// Whether a fault is due at this call.
  private func due() throws(TreeError) -> Fault? {
    try alive()
    return change { state in
      guard let fault = state.fault, fault.kind != .vanishes else { return nil }
      state.fault = fault.calls > 0 ? (fault.kind, fault.calls - 1) : nil
      return fault.calls == 0 ? fault.kind : nil
    }
  }

  private func raise(_ fault: Fault?, _ doing: String) throws(TreeError) {
    switch fault {
    case nil, .vanishes: return
    case .full, .short: throw TreeError(.full, doing)
    case .io: throw TreeError(.inputOutput, doing)
    case .dies, .faints:
      change { $0.isDead = true }
      throw Self.death
    }
  }

  private func alive() throws(TreeError) {
    if change({ $0.isDead }) { throw Self.death }
  }

  private func check<R>(_ result: Result<R, TreeError>) throws(TreeError) -> R { try result.get() }

  private static func stamp(_ file: File) -> FileStamp {
    FileStamp(size: file.bytes.count, modified: file.modified, inode: file.inode)
  }
}
