#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Keeps transactions and changes of the map apart.
///
/// `mdb_env_set_mapsize` unmaps without looking: whoever reads meanwhile crashes. So every transaction of this process
/// stands inside the gate, and the map changes only when nobody does. A thread that is inside may enter again, also
/// while somebody waits to change the map; otherwise the two would wait for each other.
final class ReaderGate: Sendable {
  private struct State {
    /// Who is inside, and how deep. Few at a time: a list is quicker than a dictionary.
    var inside: [(thread: pthread_t, depth: Int)] = []
    var isChanging = false
  }

  private let state = Monitor(State())

  /// Enters; waits while the map changes, unless this thread is inside already.
  ///
  /// - Returns: Whether this thread was inside already.
  func enter() -> Bool {
    let thread = pthread_self()
    return state.wait { state in
      if let index = state.inside.firstIndex(where: { pthread_equal($0.thread, thread) != 0 }) {
        state.inside[index].depth += 1
        return true
      }
      if state.isChanging { return nil }
      state.inside.append((thread, 1))
      return false
    }
  }

  func leave() {
    let thread = pthread_self()
    state.change { state in
      guard let index = state.inside.firstIndex(where: { pthread_equal($0.thread, thread) != 0 }) else {
        preconditionFailure("A transaction ended on a thread that had not begun it")
      }
      state.inside[index].depth -= 1
      if state.inside[index].depth == 0 { state.inside.swapRemove(at: index) }
    }
  }

  /// Runs `body` while no transaction of this process is open. The calling thread is not inside.
  func withNobodyInside<R>(_ body: () throws(TreeError) -> R) throws(TreeError) -> R {
    let thread = pthread_self()
    state.wait { state -> Void? in
      let isInside = state.inside.contains { pthread_equal($0.thread, thread) != 0 }
      precondition(!isInside, "The map cannot grow inside a transaction")
      if state.isChanging { return nil }
      state.isChanging = true
      return ()
    }
    state.wait { $0.inside.isEmpty ? () : nil }
    defer { state.change { $0.isChanging = false } }
    return try body()
  }
}

extension Array {
  /// Takes out one element in constant time; the last one takes its place.
  fileprivate mutating func swapRemove(at index: Int) {
    swapAt(index, count - 1)
    removeLast()
  }
}
