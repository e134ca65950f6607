/// Events of a query, one after another, for whoever asks for the next.
///
/// Nothing is kept for a slow reader: what several commits did is told as the difference that they made together when
/// it asks. Each task that iterates has events of its own, which begin with what there is. They end with the task that
/// reads them, and throw what keeps the query from being read.
public struct DataEvents: AsyncSequence, Sendable {
  public typealias Element = DataEvent

  let query: DatabaseQuery
  let types: DataEventTypes

  public func makeAsyncIterator() -> Iterator { Iterator(EventSubscription(query, types)) }

  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: EventSubscription
    private var batch: [ViewEvent] = []
    private var place = 0
    private var present: (snapshot: DataSnapshot, entries: [QueryEntry], index: Int)?

    init(_ subscription: EventSubscription) { self.subscription = subscription }

    public mutating func next() async throws -> DataEvent? {
      while true {
        if let event = nextPresent() { return event }
        if place == batch.count {
          (batch, place) = (try await subscription.next(), 0)
          if batch.isEmpty { return nil }
        }
        defer { place += 1 }
        switch batch[place] {
        case .one(let event): return event
        case .present(let snapshot, let entries): present = (snapshot, entries, 0)
        }
      }
    }

    private mutating func nextPresent() -> DataEvent? {
      guard let (snapshot, entries, index) = present else { return nil }
      guard index < entries.count else {
        present = nil
        return nil
      }
      present?.index += 1
      let previous = index > 0 ? entries[index - 1].key : nil
      return DataEvent(.childAdded, snapshot.child(entries[index].path), after: previous)
    }
  }
}

/// The answers of a query: the one that is there, and each newer one.
public struct DataSnapshots: AsyncSequence, Sendable {
  public typealias Element = DataSnapshot

  let events: DataEvents

  public func makeAsyncIterator() -> Iterator { Iterator(base: events.makeAsyncIterator()) }

  public struct Iterator: AsyncIteratorProtocol {
    var base: DataEvents.Iterator

    public mutating func next() async throws -> DataSnapshot? { try await base.next()?.snapshot }
  }
}

/// What one reader of events holds; ends with its last reference.
final class EventSubscription: Sendable {
  private let hub: ObservationHub
  private let reader: EventReader
  /// Kept as long as somebody reads.
  private let database: Database

  init(_ query: DatabaseQuery, _ types: DataEventTypes) {
    database = query.database
    hub = query.database.hub
    reader = EventReader(types)
    hub.add(reader, of: query)
  }

  deinit { hub.remove(reader) }

  /// What is new, or nothing at the end.
  func next() async throws -> [ViewEvent] { try await hub.read(reader) }
}

extension DatabaseQuery {
  /// The events of one or several kinds, in the order in which they are told.
  public func events(of types: DataEventType...) -> DataEvents {
    DataEvents(query: self, types: types.reduce(into: []) { $0.insert(DataEventTypes($1)) })
  }

  /// The answer that is there, and each newer one.
  public var snapshots: DataSnapshots { DataSnapshots(events: events(of: .value)) }
}
