extension Command {
  static let importFile = Command(name: "import", usage: "FILE|-", summary: "", operands: 1...1, example: "") { _ in }
  static let scenario = Command(name: "scenario", usage: "FILE… | --lines", summary: "", operands: 0...999, example: "")
  { _ in }
  static let demo = Command(name: "demo", usage: "", summary: "", operands: 0...0, example: "") { _ in }
}
struct ScenarioMismatch: Error { let description = "" }
