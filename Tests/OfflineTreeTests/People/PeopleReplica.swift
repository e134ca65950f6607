import TestSupport
import Testing

@testable import OfflineTree

/// An `Authority` that is told of a history's changes in some order, without bytes or forks; what it says is compared with
/// the model.
struct PeopleReplica {
  private let history: History
  private let order: [Int]
  private var authority = Authority()
  private var logs: [LogID: Int] = [:]

  init(_ history: History, order: [Int]) throws {
    (self.history, self.order) = (history, order)
    authority.adopt(try #require(history.genesis))
    for index in order { add(index) }
  }

  private func dot(_ index: Int) -> Dot {
    Dot(log: logs[history.records[index].log] ?? 0, seq: history.records[index].seq)
  }

  private func context(_ index: Int) -> Context {
    var context = Context()
    for earlier in order where history.saw(index, earlier) {
      context.raise(dot(earlier).log, to: dot(earlier).seq + 1)
    }
    return context
  }

  private mutating func add(_ index: Int) {
    let (record, change) = (history.records[index], history.change(index))
    if logs[record.log] == nil { logs[record.log] = logs.count }
    if history.faults[index] != nil || change.introduction == nil && change.controls.isEmpty { return }
    authority.add(
      Authority.Record(
        dot: dot(index), log: record.log, root: dot(index).log, device: history.deviceKey(of: index) ?? .zero,
        context: context(index), stamp: change.stamp, wallTime: 0, introduction: change.introduction,
        controls: change.controls, isRecovery: false, writes: !change.operations.isEmpty, author: change.author,
        change: change.operations.isEmpty ? nil : change))
  }

  private func fault(_ index: Int) -> String? {
    let (change, dot) = (history.change(index), dot(index))
    if change.introduction != nil || !change.controls.isEmpty { return authority.verdict(at: dot) }
    let device = history.deviceKey(of: index) ?? .zero
    return authority.fault(
      of: dot, device: device, log: history.records[index].log, root: dot.log, context: context(index), writes: true)
      ?? authority.fault(of: change, at: dot, device: device, context: context(index))
  }

  /// What differs from the model; nothing, if all is well.
  mutating func differences() -> [String] {
    authority.settlePeople()
    var found = verdictDifferences()
    var everything = Context()
    for index in order { everything.raise(dot(index).log, to: dot(index).seq + 1) }
    let states = authority.people.users.map { authority.accountStates(of: $0, everything).map(\.account) }
    let wanted = history.people?.states ?? [:]
    if Set(states.joined()) != Set(wanted.values.joined()) { found.append("states are \(states), must be \(wanted)") }
    // Judged at once, as it is read from the disk.
    authority.judge()
    return found + verdictDifferences().map { "at once: \($0)" }
  }

  private func verdictDifferences() -> [String] {
    order.filter { history.faults[$0] == nil && (fault($0) == nil) != (history.voids[$0] == nil) }.map { index in
      "\(history.change(index)) is void for \(fault(index) ?? "nothing"), must be for \(history.voids[index] ?? "nothing")"
    }
  }
}
