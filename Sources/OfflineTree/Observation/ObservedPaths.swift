/// Which views are on the way of a path: a tree of the observed paths.
struct ObservedPaths {
  private final class Node {
    var views: [ObservedView] = []
    var children: [ArraySlice<UInt8>: Node] = [:]
  }

  private let root = Node()
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  func views(at path: PathKey) -> [ObservedView] {
    var node = root
    for component in path.components {
      guard let next = node.children[component] else { return [] }
      node = next
    }
    return node.views
  }

  mutating func insert(_ view: ObservedView) {
    var node = root
    for component in view.node.components {
      if let next = node.children[component] {
        node = next
      } else {
        let next = Node()
        node.children[component] = next
        node = next
      }
    }
    node.views.append(view)
    count += 1
  }

  /// - Returns: Whether it was there.
  @discardableResult
  mutating func remove(_ view: ObservedView) -> Bool {
    var way: [(node: Node, component: ArraySlice<UInt8>)] = []
    var node = root
    for component in view.node.components {
      guard let next = node.children[component] else { return false }
      way.append((node, component))
      node = next
    }
    guard let index = node.views.firstIndex(where: { $0 === view }) else { return false }
    node.views.remove(at: index)
    count -= 1
    for (above, component) in way.reversed() {
      guard let below = above.children[component], below.views.isEmpty, below.children.isEmpty else { break }
      above.children[component] = nil
    }
    return true
  }

  /// Every view, in no order.
  var all: [ObservedView] {
    var (found, nodes) = ([ObservedView](), [root])
    while let node = nodes.popLast() {
      found += node.views
      nodes += node.children.values
    }
    return found
  }

  /// Tells every view on the way of a touched path, and those below it.
  /// - Parameter isWhole: Does the path stand for everything below it as well?
  func touch(_ path: PathKey, isWhole: Bool, _ told: (ObservedView) -> Void) {
    var node = root
    for component in path.components {
      for view in node.views {
        view.touches.insert(PathKey(trusted: path.bytes[..<component.endIndex]))
        told(view)
      }
      guard let next = node.children[component] else { return }
      node = next
    }
    for view in node.views {
      if isWhole { view.touches.insertEverything() } else { view.touches.insertNode() }
      told(view)
    }
    for below in node.children.values { touchAll(below, told) }
  }

  private func touchAll(_ node: Node, _ told: (ObservedView) -> Void) {
    for view in node.views {
      view.touches.insertEverything()
      told(view)
    }
    for below in node.children.values { touchAll(below, told) }
  }
}

extension PathKey {
  /// The bytes of each key, where they stand.
  fileprivate var components: [ArraySlice<UInt8>] {
    var start = 0
    return componentEnds.map { end in
      defer { start = end }
      return bytes[start..<end]
    }
  }
}
