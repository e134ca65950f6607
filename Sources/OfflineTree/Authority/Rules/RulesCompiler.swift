/// Reads a rules document and compiles it.
struct RulesCompiler {
  let text: RulesText
  /// The document as JSON, byte for byte in its place.
  private let blanked: [UInt8]
  private var scanner: JSONScanner
  /// Where the event last read begins.
  private(set) var start = 0

  private var nodes: [RuleNode] = []
  private var literals: [[(component: [UInt8], node: Int32)]] = []
  var locations: [String] = []
  var indexes: [[String]] = []
  var code = RuleCode()
  var warnings: [RuleWarning] = []

  static func compile(_ bytes: [UInt8]) throws(TreeError) -> RuleProgram {
    guard bytes.count <= Limits.rulesBytes else {
      throw TreeError(
        .limitExceeded, "the rules have \(bytes.count) bytes, more than \(Limits.rulesBytes)",
        advice: "Use $variables for paths that are alike.")
    }
    var compiler = try RulesCompiler(bytes)
    try compiler.document()
    return compiler.program
  }

  private init(_ bytes: [UInt8]) throws(TreeError) {
    text = RulesText(bytes)
    blanked = try text.blanked()
    scanner = JSONScanner(blanked)
  }

  private mutating func document() throws(TreeError) {
    let advice = "Rules look like {\"rules\": {\".read\": true, \".write\": false}}."
    guard try next() == .beginObject else { throw error("the rules are not an object", advice: advice) }
    guard try next() == .key else { throw error("\"rules\" is missing", advice: advice) }
    guard scanner.text.elementsEqual("rules".utf8) else {
      throw error("\"\(excerpt)\" is where \"rules\" should be", advice: advice)
    }
    guard try next() == .beginObject else { throw error("\"rules\" is not an object", advice: advice) }
    _ = try node(at: "/", variables: [])
    guard try next() == .endObject else {
      throw error("\"\(excerpt)\" stands beside \"rules\"", advice: "Move it into \"rules\", or leave it out.")
    }
    guard try next() == .end else { throw error("something follows the rules") }
  }

  // MARK: Reading

  /// The next event of the JSON; what it finds wrong is said as this document's errors are.
  mutating func next() throws(TreeError) -> JSONScanner.Event {
    start = scanner.offset
    while start < blanked.count, [0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ",")].contains(blanked[start]) { start += 1 }
    do throws(TreeError) {
      return try scanner.next()
    } catch {
      // What stands before the first ": " is the place in the JSON, which is the same one.
      let problem = error.context.split(separator: ": ", maxSplits: 1).last.map { String($0) } ?? error.context
      throw text.error(problem, at: scanner.offset, advice: error.advice, error.code)
    }
  }

  var excerpt: String { UTF8Text.excerpt(scanner.text) }
  /// The key or string last read.
  var bytes: [UInt8] { scanner.text }

  func error(_ problem: String, advice: String = "") -> TreeError { text.error(problem, at: start, advice: advice) }

  // MARK: Locations

  /// Reads the members of a location, whose `{` has been read.
  private mutating func node(at location: String, variables: [String?]) throws(TreeError) -> Int {
    let index = nodes.count
    nodes.append(RuleNode())
    literals.append([])
    locations.append(location)
    indexes.append([])
    var names: Set<[UInt8]> = []
    while try next() == .key {
      guard names.insert(bytes).inserted else {
        throw error("\"\(excerpt)\" is there twice at \(location)", advice: "Leave one of them out.")
      }
      if bytes.first == UInt8(ascii: ".") {
        try rule(of: index, variables)
      } else {
        try child(of: index, variables)
      }
    }
    return index
  }

  private mutating func rule(of index: Int, _ variables: [String?]) throws(TreeError) {
    let (name, place) = (excerpt, start)
    if name.utf8.elementsEqual(".indexOn".utf8) {
      indexes[index] = try indexOn()
      return
    }
    guard let rule = RuleName.allCases.first(where: { $0.text.utf8.elementsEqual(name.utf8) }) else {
      let known = RuleName.allCases.map(\.text).joined(separator: ", ")
      throw text.error("there is no rule \(name)", at: place, advice: "There are \(known) and .indexOn.")
    }
    let expression = try expression(rule, at: locations[index], variables)
    nodes[index].set(rule, to: expression)
  }

  private mutating func child(of index: Int, _ variables: [String?]) throws(TreeError) {
    let place = start
    guard variables.count < Limits.rulesDepth else {
      throw error("the rules are deeper than \(Limits.rulesDepth) levels")
    }
    if let control = text.bytes[place...].dropFirst().prefix(while: { $0 != UInt8(ascii: "\"") }).first(where: {
      $0 < 0x20
    }) {
      throw error("a key holds the control character \(control)", advice: "Write the key on one line.")
    }
    let location = (locations[index] == "/" ? "/" : locations[index] + "/") + scanner.string
    guard location.utf8.count <= Limits.pathBytes else {
      throw error("a location is longer than \(Limits.pathBytes) bytes", advice: "Use shorter keys.")
    }
    let isVariable = bytes.first == UInt8(ascii: "$")
    let component = try isVariable ? [] : literal()
    let variable = try isVariable ? variableName(of: index, variables) : nil
    guard try next() == .beginObject else {
      throw error("\(location) is not an object", advice: "Names of rules begin with a dot, as .write.")
    }
    let child = Int32(try node(at: location, variables: variables + [variable]))
    if isVariable { nodes[index].variable = child } else { literals[index].append((component, child)) }
  }

  private func literal() throws(TreeError) -> [UInt8] {
    do throws(TreeError) {
      return PathKey(try Path([try Key(utf8: bytes)])).bytes
    } catch {
      throw text.error(error.context, at: start, advice: error.advice, error.code)
    }
  }

  private func variableName(of index: Int, _ variables: [String?]) throws(TreeError) -> String {
    let name = scanner.string
    guard bytes.count > 1, bytes.dropFirst().allSatisfy(RuleLexer.isWord) else {
      throw error("\(excerpt) is no name of a variable", advice: "Use letters, digits and _ after the $.")
    }
    guard nodes[index].variable < 0 else {
      throw error("\(name) is the second variable at \(locations[index])", advice: "A level has one $variable.")
    }
    if variables.contains(where: { $0.map { UTF8Text.areEqual($0, name) } ?? false }) {
      throw error("\(name) is the name of a variable above, too", advice: "Give each level a name of its own.")
    }
    return name
  }

  // MARK: The result

  private var program: RuleProgram {
    var (nodes, edges, components) = (nodes, [RuleEdge](), [UInt8]())
    for index in nodes.indices {
      nodes[index].firstEdge = Int32(edges.count)
      for literal in literals[index].sorted(by: { $0.component.lexicographicallyPrecedes($1.component) }) {
        let start = Int32(components.count)
        components += literal.component
        edges.append(RuleEdge(start: start, end: Int32(components.count), node: literal.node))
      }
      nodes[index].lastEdge = Int32(edges.count)
    }
    return RuleProgram(
      code: code, nodes: nodes, edges: edges, components: components, locations: locations, indexes: indexes,
      warnings: warnings)
  }
}
