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
/// `fuzz list` prints the names, `fuzz length TARGET` how long an input may be.
@main
struct Fuzz {
  nonisolated(unsafe) private static var target = FuzzTarget.all[0]

  static func main() {
    let words = CommandLine.arguments.dropFirst()
    guard let target = FuzzTarget.all.first(where: { $0.name == words.last }) else {
      print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
      exit(words.last == "list" ? 0 : 2)
    }
    if words.first == "length" {
      print(target.maximumBytes)
      exit(0)
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
