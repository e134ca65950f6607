/// One live value of a register: what a put added and nobody who had seen it has removed.
struct Version: Equatable, Sendable {
  let stamp: Stamp
  let dot: Dot
  let value: Scalar
}

/// One live choice of a voter at a counter.
struct Ballot: Equatable, Sendable {
  let stamp: Stamp
  let dot: Dot
  let choice: Int8
}

/// One live priority of a node; null is a choice, too.
struct PriorityItem: Equatable, Sendable {
  let stamp: Stamp
  let dot: Dot
  let value: Scalar?
}

/// One live content of a stored file.
struct FileItem: Equatable, Sendable {
  let stamp: Stamp
  let dot: Dot
  let content: FileContent
}

/// The increments of one log that are live at one counter: those with numbers from `first` to `last`.
///
/// Whoever removes a log's increments removes all up to a number, so that what is live is always the end of the log.
struct Part: Equatable, Sendable {
  var first: UInt64
  var last: UInt64
  var count: UInt64
  var sum: ExactSum

  mutating func add(_ seq: UInt64, _ number: Scalar) {
    first = min(first, seq)
    last = max(last, seq)
    count += 1
    sum.add(number)
  }
}

/// What an item of a register is ordered by; the log's id decides between equal stamps.
protocol Ordered {
  var stamp: Stamp { get }
  var dot: Dot { get }
}

extension Version: Ordered {}
extension Ballot: Ordered {}
extension PriorityItem: Ordered {}
extension FileItem: Ordered {}
