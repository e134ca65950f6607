import Foundation
package import Testing

/// `merge_model.py`, found through the environment variable OFFLINETREE_ORACLES or beside the package's folder.
package enum Oracle {
  package static let whenAbsent: Comment = "no merge_model.py in $OFFLINETREE_ORACLES or ../shared/oracles: skipped"

  package static var isPresent: Bool { FileManager.default.fileExists(atPath: program.path) }

  package static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  private static var program: URL {
    let folder = environment("OFFLINETREE_ORACLES").map { URL(fileURLWithPath: $0) }
    let beside = Fixtures.package.deletingLastPathComponent().appendingPathComponent("shared/oracles")
    return (folder ?? beside).appendingPathComponent("merge_model.py")
  }

  /// Random scenarios with the outcomes that the oracle expects, a JSON document each.
  package static func scenarios(seed: Int, count: Int, mix: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", program.path, "generate", String(seed), String(count), mix]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Scenario.Failure("merge_model.py ended with \(process.terminationStatus)")
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
