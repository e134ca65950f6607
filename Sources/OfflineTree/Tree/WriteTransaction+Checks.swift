/// What may be written.
extension WriteTransaction {
  /// The scalar at a counter as it would be now, if the counter may be changed.
  func checkCounter(_ path: PathKey) throws -> Scalar? {
    if state.declarations.isFlagged(path) {
      throw TreeError(.refused, "\(path) is a view of votes", advice: "Vote at the counter instead.")
    }
    let now = try current(path)
    if state.declarations.isInElement(path), !(now?.isNumber ?? false) {
      throw TreeError(
        .refused, "\(path) is in an add-only element and is no number", advice: "Only numbers there can be counted up.")
    }
    try checkSets(below: path)
    return now
  }

  func checkWritable(_ path: PathKey, elements: [PathKey]) throws {
    try checkSets(below: path)
    for leaf in elements + [path] {
      if state.declarations.isFlagged(leaf) {
        throw TreeError(.refused, "\(leaf) is a view of votes", advice: "Vote at the counter instead.")
      }
      guard let element = state.declarations.element(of: leaf) else { continue }
      if try TreeReader.exists(element.path, rows) {
        throw TreeError(
          .refused, "\(element.path) is in an add-only set: it cannot be changed or removed",
          advice: "Add another one with push.")
      }
      if element.keys == .own, !isImport, bindings[element.path] == nil {
        if let nonce = knownNonce(element.path) {
          bind(ElementBinding(element: element.path, nonce: nonce))
          continue
        }
        throw TreeError(
          .refused, "the key of \(element.path) is not one that this device made",
          advice: "Let push make the key.")
      }
    }
  }

  func checkSets(below path: PathKey) throws {
    for set in state.declarations.sets(atOrBelow: path) where try TreeReader.exists(set, rows) {
      throw TreeError(
        .refused, "\(set) is an add-only set: what is in it cannot be changed or removed",
        advice: "Write to the other children one by one.")
    }
  }

  func checkOverlap(_ paths: [PathKey]) throws {
    let sorted = paths.sorted()
    for index in sorted.indices.dropFirst() where sorted[index - 1].isPrefix(of: sorted[index]) {
      throw TreeError(
        .invalidArgument, "the update's path \(sorted[index - 1]) is at or above \(sorted[index])",
        advice: "Leave one of them out.")
    }
  }

  /// The scalar at a counter as it would be now; `.bool` stands for an object, which is no number either.
  private func current(_ path: PathKey) throws -> Scalar? {
    guard form.mayHideNumber(at: path) else { return try current(path, rows) }
    return try withRows(touching: path) { rows, _ in try current(path, rows) }
  }

  private func current(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Scalar? {
    if let scalar = try TreeReader.scalar(path, rows) { return scalar }
    return try TreeReader.exists(path, rows) ? .bool(true) : nil
  }
}
