internal import CLibFuzzer
import FuzzTargets

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// libFuzzer around one of the targets: `fuzz [libFuzzer's arguments] -ignore_remaining_args=1 TARGET`.
///
/// The target's name comes last, behind what libFuzzer reads, so that the processes that it starts by itself get it too.
@main
struct Fuzz {
  nonisolated(unsafe) private static var target = FuzzTarget.all[0]

  static func main() {
    guard let target = FuzzTarget.all.first(where: { $0.name == CommandLine.arguments.last }) else {
      // `fuzz list`, or a name that is none.
      print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
      exit(CommandLine.arguments.last == "list" ? 0 : 2)
    }
    unsafe self.target = target
    Heap.watch()
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    exit(
      unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        unsafe Fuzz.run(UnsafeBufferPointer(start: bytes, count: count))
        return 0
      })
  }

  private static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let target = unsafe target
    let bytes = unsafe Array(bytes)
    let used = Heap.peak {
      do throws(FuzzFailure) {
        try target.run(bytes)
      } catch {
        fatalError("\(target.name): \(error.text)")
      }
    }
    let allowed = target.memory(bytes.count)
    if used > allowed { fatalError("\(target.name): \(used) bytes of memory, beyond \(allowed)") }
  }
}
