import OfflineTree

/// What docs/merge.md calls void by judgement: decided by the whole set.
extension History {
  /// Why each change is void by judgement, or nil.
  func verdicts() -> [String?] {
    let founder = genesis?.founder
    var ends: [(index: Int, log: LogID)] = []
    for index in records.indices where deviceKey(of: index) == founder {
      for case .end(.log(let log)) in change(index).controls { ends.append((index, log)) }
    }
    return records.indices.map { index in
      ends.contains { $0.log == records[index].log && $0.index != index && !saw($0.index, index) }
        ? "its log was ended" : nil
    }
  }
}
