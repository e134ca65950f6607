package import Foundation

/// The scenarios and golden files in `fixtures/`.
package enum Fixtures {
  /// The package's folder.
  package static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  package static let folder = Fixtures.package.appendingPathComponent("fixtures")

  /// The names of the scenarios, sorted.
  package static let scenarioNames: [String] = names(in: "scenarios", suffix: ".json")

  package static func names(in subfolder: String, suffix: String) -> [String] {
    let path = folder.appendingPathComponent(subfolder).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
  }

  package static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(path)), as: UTF8.self)
  }

  package static func scenario(_ name: String) throws -> Scenario {
    try Scenario(try JSON(parsing: try text("scenarios/\(name).json")))
  }
}
