internal import CLibFuzzer

/// What is allocated at a time. The targets run on one thread.
enum Heap {
  nonisolated(unsafe) private static var live = 0
  nonisolated(unsafe) private static var highest = 0

  static func watch() {
    let code = unsafe __sanitizer_install_malloc_and_free_hooks(
      { _, size in
        unsafe Heap.live += size
        if unsafe Heap.live > Heap.highest { unsafe Heap.highest = unsafe Heap.live }
      },
      { pointer in unsafe Heap.live -= __sanitizer_get_allocated_size(pointer) })
    precondition(code > 0, "the address sanitizer takes no hooks")
  }

  /// The most bytes that `body` has at a time, beyond those that were there before.
  static func peak(_ body: () -> Void) -> Int {
    let before = unsafe live
    unsafe highest = before
    body()
    return unsafe highest - before
  }
}
