/// The children of a snapshot, in order, found in pages while they are read.
public struct SnapshotChildren: Sequence, Sendable {
  static let pageCount = 256

  private let snapshot: DataSnapshot
  /// All of them, where the order is not that of keys; else the first page.
  private let first: [PathKey]
  private let isWhole: Bool

  init(_ snapshot: DataSnapshot) throws(TreeError) {
    self.snapshot = snapshot
    if let window = snapshot.window {
      (first, isWhole) = (window.entries.map(\.path), true)
    } else if let prioritized = try snapshot.source.prioritizedChildren(of: snapshot.node) {
      (first, isWhole) = (prioritized, true)
    } else {
      first = try snapshot.source.children(of: snapshot.node, after: nil, limit: Self.pageCount)
      isWhole = first.count < Self.pageCount
    }
  }

  public func makeIterator() -> Iterator { Iterator(snapshot, first, isWhole: isWhole) }

  public struct Iterator: IteratorProtocol {
    private let snapshot: DataSnapshot
    private var page: [PathKey]
    private var index = 0
    private var isLast: Bool

    init(_ snapshot: DataSnapshot, _ page: [PathKey], isWhole: Bool) {
      self.snapshot = snapshot
      self.page = page
      isLast = isWhole
    }

    public mutating func next() -> DataSnapshot? {
      if index == page.count, !isLast, let last = page.last {
        index = 0
        do throws(TreeError) {
          page = try snapshot.source.children(of: snapshot.node, after: last, limit: pageCount)
          isLast = page.count < pageCount
        } catch {
          (page, isLast) = ([], true)
          return DataSnapshot(snapshot.ref.root, FailedSource(error: error))
        }
      }
      guard index < page.count else { return nil }
      defer { index += 1 }
      return snapshot.child(page[index])
    }
  }
}
