/// What a checkpoint says of what is live, in the order of path keys.
extension Replica {
  func writeItems(
    _ ranks: Ranks, to writer: inout CheckpointWriter, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var output = writer
    try PathTable.rival.forEach(prefix: [], in: rows) { (key, value) throws(TreeError) in
      let path = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
      var reader = ByteReader(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) })
      var creators: [(Stamp, Dot)] = []
      while !reader.isAtEnd { creators.append((try Stamp.decode(&reader), try Dot.decode(&reader))) }
      try output.record(.rival) { writer in
        writer.prefixed(path.bytes)
        for (stamp, dot) in creators {
          stamp.encode(to: &writer)
          Self.encode(dot, ranks, to: &writer)
        }
      }
      return true
    }
    try forEachRegister(rows) { (path, register) throws(TreeError) in
      try write(register, at: path, ranks, to: &output, rows)
    }
    try PathTable.priority.forEach(prefix: [], in: rows) { (key, value) throws(TreeError) in
      let path = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
      for item in try PriorityItem.decode(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }) {
        try output.record(.priority) { writer in
          writer.prefixed(path)
          item.stamp.encode(to: &writer)
          Self.encode(item.dot, ranks, to: &writer)
          writer.u8(item.value == nil ? 0 : 1)
          item.value?.encode(to: &writer)
        }
      }
      return true
    }
    try PathTable.file.forEach(prefix: [], in: rows) { (key, value) throws(TreeError) in
      let path = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
      for item in try FileItem.decode(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }) {
        try output.record(.file) { writer in
          writer.prefixed(path)
          item.stamp.encode(to: &writer)
          Self.encode(item.dot, ranks, to: &writer)
          item.content.encode(to: &writer)
        }
      }
      return true
    }
    writer = output
  }

  static func encode(_ dot: Dot, _ ranks: Ranks, to writer: inout ByteWriter) {
    writer.varint(ranks[dot.log])
    writer.varint(dot.seq)
  }

  /// Registers of both tables, in the order of their paths; flags are views, and not among them.
  private func forEachRegister(
    _ rows: borrowing StoreTransaction, _ body: (PathKey, Register) throws(TreeError) -> Void
  ) throws(TreeError) {
    try PathTable.tree.withCursor(in: rows) { (shown) throws(TreeError) in
      try PathTable.hidden.withCursor(in: rows) { (hidden) throws(TreeError) in
        var (isShown, isHidden) = (try shown.first(), try hidden.first())
        while isShown || isHidden {
          let (left, right) = (isShown ? shown.keyBytes : [], isHidden ? hidden.keyBytes : [])
          let takesShown = isShown && (!isHidden || left.lexicographicallyPrecedes(right))
          let row = takesShown ? shown.valueBytes : hidden.valueBytes
          if let register = try Register.decode(row) {
            try body(PathKey(trusted: takesShown ? left : right), register)
          }
          if takesShown { isShown = try shown.next() } else { isHidden = try hidden.next() }
        }
      }
    }
  }

  private func write(
    _ register: Register, at path: PathKey, _ ranks: Ranks, to writer: inout CheckpointWriter,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try writer.record(.register) { $0.append(path.bytes) }
    for version in register.versions {
      try writer.record(.version) { writer in
        version.stamp.encode(to: &writer)
        Self.encode(version.dot, ranks, to: &writer)
        version.value.encode(to: &writer)
      }
    }
    guard register.counter != 0, register.hasCounterRows else { return }
    let parts = try parts(of: register.counter, rows).map { (rank: ranks[$0.log], part: $0.part) }
    for (rank, part) in parts.sorted(by: { $0.rank < $1.rank }) {
      try writer.record(.part) { writer in
        writer.varint(rank)
        writer.append(part.encoded)
      }
    }
    for row in try Replica.voteRows(of: register.counter, rows) {
      try writer.record(.voter) { writer in
        writer.prefixed(row.voter.text)
        for ballot in row.ballots {
          ballot.stamp.encode(to: &writer)
          Self.encode(ballot.dot, ranks, to: &writer)
          writer.zigzag(Int64(ballot.choice))
        }
      }
    }
  }
}
