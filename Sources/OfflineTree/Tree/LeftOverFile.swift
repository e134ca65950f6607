/// Changes for people, as JSON: what a repair could not put back, to be entered again by hand. Nothing ever reads it.
///
/// ```
/// {"changes": [{"log": …, "number": …, "proven": true, "time": …, "author": …,
///   "operations": [{"put": "jokes/x", "value": 1}, …]}, …], "leftOut": 0}
/// ```
/// Times are milliseconds since 1970. Acts of devices and people have no paths: of those their number is told. What is not
/// proven may be of any device, or made up by somebody; its log is null where nothing tells. What there was no room for is
/// counted.
struct LeftOverFile {
  private var writer = JSONWriter(pretty: true)

  /// - Parameter unproven: Of which nothing says that a device of the space has made them.
  init(_ runs: [ChangeRun], unproven: UnprovenChanges = UnprovenChanges()) {
    writer.beginObject()
    writer.key("changes")
    writer.beginArray()
    for run in runs {
      for (offset, body) in run.bodies.enumerated() {
        write(body, run.log, run.first + UInt64(offset), isProven: run.signature != nil)
      }
    }
    for change in unproven.changes { write(change.body, change.log, change.seq, isProven: false) }
    writer.endArray()
    writer.key("leftOut")
    writer.int(Int64(unproven.leftOut))
    writer.endObject()
  }

  mutating func bytes() -> [UInt8] { writer.take() + [UInt8(ascii: "\n")] }

  private mutating func write(_ body: ArraySlice<UInt8>, _ log: LogID?, _ seq: UInt64, isProven: Bool) {
    guard case .change(let change, _)? = try? Change.decode(body) else { return }
    writer.beginObject()
    writer.key("log")
    if let log { writer.string(log.description) } else { writer.null() }
    writer.key("number")
    writer.int(Int64(clamping: seq))
    writer.key("proven")
    writer.bool(isProven)
    writer.key("time")
    writer.int(change.wallTime)
    if let author = change.author {
      writer.key("author")
      writer.string(author.text)
    }
    if !change.controls.isEmpty {
      writer.key("acts")
      writer.int(Int64(change.controls.count))
    }
    writer.key("operations")
    writer.beginArray()
    for operation in change.operations { write(operation) }
    writer.endArray()
    writer.endObject()
  }

  private mutating func write(_ operation: Operation) {
    let path = String(decoding: operation.path.textBytes, as: UTF8.self)
    writer.beginObject()
    switch operation {
    case .clear: member("clear", path)
    case .put(_, let scalar):
      member("put", path)
      writer.key("value")
      writer.scalar(scalar)
    case .increment(_, let number):
      member("increment", path)
      writer.key("by")
      writer.scalar(number)
    case .vote(_, let voter, let choice):
      member("vote", path)
      member("voter", voter.text)
      writer.key("choice")
      writer.int(Int64(choice))
    case .priority(_, let scalar):
      member("priority", path)
      writer.key("value")
      if let scalar { writer.scalar(scalar) } else { writer.null() }
    case .file(let name, let content):
      member("file", name.text)
      writer.key("bytes")
      if let content { writer.int(Int64(clamping: content.length)) } else { writer.null() }
    }
    writer.endObject()
  }

  private mutating func member(_ name: String, _ text: String) {
    writer.key(name)
    writer.string(text)
  }
}
