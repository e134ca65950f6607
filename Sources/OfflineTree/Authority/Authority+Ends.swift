extension Authority {
  /// An end that stands.
  package struct End: Sendable, Equatable {
    /// The index of its record.
    package let record: Int
    package let dot: Dot
    package let subject: ControlOperation.Subject
    package let rank: Rank
    /// Is the subject of the end's own device? Then it reaches whatever that device did.
    package let isOwn: Bool
  }

  /// Ends that stand, in the order in which they were judged.
  package struct Ends: RandomAccessCollection, Equatable, ExpressibleByArrayLiteral, Sendable {
    private var all: [End] = []
    private var places: [ControlOperation.Subject: [Int]] = [:]

    package init(arrayLiteral ends: End...) { for end in ends { append(end) } }

    package init() {}

    package var startIndex: Int { all.startIndex }
    package var endIndex: Int { all.endIndex }
    package subscript(place: Int) -> End { all[place] }

    /// Those of one subject. O(their number).
    package subscript(subject: ControlOperation.Subject) -> [End] { (places[subject] ?? []).map { all[$0] } }

    /// Those of any of these subjects.
    func reaching(_ subjects: [ControlOperation.Subject]) -> [End] {
      subjects.flatMap { places[$0] ?? [] }.sorted().map { all[$0] }
    }

    mutating func append(_ end: End) {
      places[end.subject, default: []].append(all.count)
      all.append(end)
    }
  }

  /// An invite, as a record registers it.
  struct Registration: Sendable {
    let record: Int
    let terms: ControlOperation.InviteTerms
  }
}
