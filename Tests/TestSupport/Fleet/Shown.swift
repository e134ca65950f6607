package import OfflineTree

/// Everything that a replica shows, in a form that can be compared and printed.
package struct Shown: Equatable, CustomStringConvertible {
  package let tree: JSON
  package let conflicts: [String]
  package let priorities: [String]
  /// What is live of each file, the content that shows first.
  package let files: [String]

  /// What a database shows at and below a path. Priorities are asked for where they may be.
  package init(_ database: Database, at path: Path = .root, priorities paths: [Path]) throws {
    (tree, conflicts, priorities, files) = try database.read { transaction in
      let entries = try transaction.conflicts(at: path).flatMap { conflict in
        conflict.entries.map { entry in
          let writer = entry.log.map { " by \($0) at \(entry.milliseconds ?? 0)" } ?? ""
          return "\(conflict.path): \(Shown.text(entry.content))\(writer)"
        }
      }
      let priorities = try paths.compactMap { path in
        try transaction.priority(at: path).map { "\(path): \(JSON($0))" }
      }
      return (
        JSON(try transaction.value(at: path)), entries, priorities, path.isRoot ? try transaction.shownFiles() : []
      )
    }
  }

  /// What the model says must show.
  package init(_ model: ModelTree, at path: Path = .root, priorities paths: [Path]) {
    tree = JSON(model.value(at: path))
    conflicts = model.conflicts().filter { $0.path.starts(with: path) }.flatMap { path, entries in
      entries.map { entry in
        let writer = entry.origin.map { " by \($0.log) at \($0.stamp.milliseconds)" } ?? ""
        return "\(path): \(Shown.text(entry.content))\(writer)"
      }
    }
    files =
      path.isRoot
      ? model.files.sorted { $0.key < $1.key }.map { Shown.text($0.key, $0.value.map(\.value)) } : []
    priorities = paths.compactMap { path in model.priority(at: path).map { "\(path): \(JSON($0))" } }
  }

  fileprivate static func text(_ name: FileName, _ contents: [FileContent]) -> String {
    "\(name): " + contents.map { "\($0.manifest) \($0.length) \($0.type)" }.joined(separator: ", ")
  }

  private static func text(_ content: Conflict.Entry.Content) -> String {
    switch content {
    case .version(let value): JSON(value).description
    case .sum(let value): "sum \(JSON(value))"
    case .priority(let value): "priority \(JSON(value))"
    }
  }

  package var description: String {
    "\(tree)\n  conflicts \(conflicts)\n  priorities \(priorities)\n  files \(files)"
  }
}

extension ReadTransaction {
  fileprivate func shownFiles() throws -> [String] {
    var texts: [String] = []
    try forEachFile(below: FileName.root) { name, contents in
      texts.append(Shown.text(name, contents.map(\.content)))
      return true
    }
    return texts
  }
}

extension ModelTree {
  /// Every path at which somebody has ever set a priority.
  package static func priorityPaths(_ records: [Record]) -> [Path] {
    var paths: Set<PathKey> = []
    for record in records {
      for case .priority(let path, _) in record.change?.operations ?? [] { paths.insert(path) }
    }
    return paths.sorted().map(\.path)
  }
}
