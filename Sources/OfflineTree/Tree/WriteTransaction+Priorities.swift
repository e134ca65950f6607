extension WriteTransaction {
  /// Sets the priority of a node that has a value; an increment adds to the number that is there.
  func setPriority(_ priority: NewValue.Priority, at path: Path) throws {
    switch priority {
    case .null: try setPriority(Scalar?.none, at: path)
    case .scalar(let scalar): try setPriority(scalar, at: path)
    case .timestamp: try setPriority(.int(wallTime), at: path)
    case .increment(let delta):
      let old = try self.priority(at: path)
      try setPriority(old?.isNumber == true ? ExactSum(delta).rounded(adding: old) : delta, at: path)
    }
  }
}
