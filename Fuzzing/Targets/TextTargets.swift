import OfflineTree

extension FuzzTarget {
  /// JSON, whole and in windows.
  static let json = FuzzTarget(
    name: "json", maximumBytes: 4_096,
    memory: { 1_024 * $0 + 65_536 },
    seeds: {
      [
        Seed(
          "values", Array(#"0[null,true,-0.0,1e22,9223372036854775807,-9223372036854775808,"\ud83d\ude00\n",{}]"#.utf8)),
        Seed(
          "special", Array(#"1{"a":{".value":{".sv":{"increment":-1}},".priority":"p"},"b":{".sv":"timestamp"}}"#.utf8)),
        Seed("update", Array("5 { \"a/b\" : 0.1E-3 ,\r\n\t\"ü\" : [ ] } ".utf8)),
      ]
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let cuts = input.choice()
      let pieces = input.pieces(cuts)
      let text = Array(input.rest)
      var whole = JSONScanner(text)
      var next = pieces.makeIterator()
      var cut = JSONScanner { window throws(TreeError) in window += next.next() ?? [] }
      while true {
        let (a, b) = (event(&whole), event(&cut))
        try require(a == b, "cuts change what JSON says")
        if a.event == nil || a.event == .end { break }
      }
      if let value = attempt({ () throws(TreeError) in try Value(json: text) }) {
        let written = attempt { () throws(TreeError) in try Value(json: value.description) }
        try require(written == value, "a value does not read what it writes")
      }
      _ = attempt { () throws(TreeError) in try NewValue(json: text) }
      _ = attempt { () throws(TreeError) in try NewValue.updates(json: text) }
    })

  private struct Step: Equatable {
    var event: JSONScanner.Event?
    var text: [UInt8] = []
    var error: TreeError?
  }

  private static func event(_ scanner: inout JSONScanner) -> Step {
    do throws(TreeError) {
      let event = try scanner.next()
      return Step(event: event, text: event == .key || event == .string ? scanner.text : [])
    } catch {
      return Step(error: error)
    }
  }

  /// Two paths, with a line break between them, as text and as bytes of rows.
  static let path = FuzzTarget(
    name: "path", maximumBytes: 2_048,
    memory: { 256 * $0 + 65_536 },
    seeds: {
      [
        Seed("texts", Array("jokes/7/text\njokes/-7".utf8)), Seed("order", Array("a/\u{FFFD}\na/\u{1F600}".utf8)),
        Seed("numbers", Array("-0/00/2147483647\n-2147483648/2147483648".utf8)),
        Seed("row", SeedChanges.everything.operations.flatMap { rowKey(of: $0) } + [10]),
      ]
    },
    run: { bytes throws(FuzzFailure) in
      let texts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
      let keys = try texts.map { text throws(FuzzFailure) in try key(text) }
      if keys.count == 2, let left = keys[0], let right = keys[1] { try compare(left, right) }
    })

  private static func key(_ text: ArraySlice<UInt8>) throws(FuzzFailure) -> PathKey? {
    if let row = attempt({ () throws(TreeError) in try PathKey(encoded: Array(text)) }) {
      try require(row.bytes.elementsEqual(text), "a row's key is read as another")
    }
    guard let key = attempt({ () throws(TreeError) in try PathKey(validating: text) }) else { return nil }
    try require(key.textBytes.elementsEqual(text), "a path does not write what it reads")
    let again = attempt { () throws(TreeError) in try PathKey(encoded: key.bytes) }
    try require(again == key, "a row's key is refused")
    let path = attempt { () throws(TreeError) in try Path(String(decoding: text, as: UTF8.self)) }
    try require(path.map { PathKey($0) } == key, "two ways of reading a path differ")
    return key
  }

  /// Rows stand in the order of keys.
  private static func compare(_ left: PathKey, _ right: PathKey) throws(FuzzFailure) {
    let (a, b) = (left.path.keys, right.path.keys)
    let ordered = a.lexicographicallyPrecedes(b)
    try require((left < right) == ordered, "rows stand in another order than keys")
    try require((left == right) == (a == b), "rows are equal, and keys are not")
  }

  private static func rowKey(of operation: Operation) -> [UInt8] {
    guard case .put(let path, _) = operation else { return [] }
    return path.bytes
  }
}
