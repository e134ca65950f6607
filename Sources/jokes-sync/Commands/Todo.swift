extension Command {
  static let demo = Command(name: "demo", usage: "", summary: "", operands: 0...0, example: "") { _ in }
}
