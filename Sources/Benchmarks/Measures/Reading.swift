internal import OfflineTree

/// Reading: the raw side reads the same rows of the same file.
extension Stage {
  /// From nothing to one key, in a process that runs already.
  func open() throws -> Measurement {
    let (count, home) = (20, try newHome())
    let counter = try workload.counter(of: keys[keys.count / 2])
    let key = PathKey(counter).bytes
    let clock = ContinuousClock()
    let samples = try samples {
      var times = Times()
      for _ in 0..<count {
        times.ours += try clock.measure {
          let database = try Database.open(at: home)
          _ = try database.read { try $0.scalar(at: counter) }
          database.close()
        }
        if settings.isAlone { continue }
        times.raw += try clock.measure { _ = try RawEnvironment.openAndRead("\(home)/data", key: key) }
      }
      return settings.isAlone ? Times(ours: times.ours, raw: times.ours) : times
    }
    return Measurement(name: "open", unit: "opens", durability: nil, operations: count, samples: samples)
  }

  /// The whole tree as JSON; the raw side copies its rows.
  func readJSON() throws -> Measurement {
    let home = try newHome()
    let database = try Database.open(at: home)
    let raw = try RawEnvironment("\(home)/data", .watching)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { unsafe buffer.deallocate() }
    let clock = ContinuousClock()
    var bytes = 0
    let samples = try samples {
      var times = Times()
      times.ours = try clock.measure {
        bytes = 0
        try database.read { try $0.writeJSON(at: .root) { bytes += $0.count } }
      }
      times.raw = times.ours
      if !settings.isAlone { times.raw = try clock.measure { _ = unsafe try raw.copyRows(of: .tree, into: buffer) } }
      return times
    }
    database.close()
    return Measurement(
      name: "read.json", unit: "bytes of JSON", durability: nil, operations: bytes, samples: samples)
  }
}
