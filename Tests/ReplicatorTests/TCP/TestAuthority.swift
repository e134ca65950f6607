import OfflineTree

@testable import Replicator

/// What a device believes of others, set by hand.
final class TestAuthority: Sendable {
  private struct State {
    var standings: [Bytes32: DeviceStanding] = [:]
    var admitted: [[UInt8]: Bytes32] = [:]
    var claim: [UInt8]?
    var isNewcomer = false
    var epochs: [EpochKeys]?
    var now: UInt64 = 1_000
  }

  private let state = Monitor(State())
  private let database: Database

  init(_ database: Database) { self.database = database }

  func set(_ standing: DeviceStanding, of device: Bytes32) { state.withLock { $0.standings[device] = standing } }
  /// Lets a claim count, or no longer.
  func admit(_ claim: [UInt8], of device: Bytes32?) { state.withLock { $0.admitted[claim] = device } }
  /// Makes it a newcomer that has this to show.
  func setNewcomer(_ claim: [UInt8]) {
    state.withLock { ($0.claim, $0.isNewcomer) = (claim, true) }
  }
  /// Lets time pass for it alone.
  func advance(by nanoseconds: UInt64) { state.withLock { $0.now += nanoseconds } }
  /// Newest first.
  func setEpochs(_ epochs: [EpochKeys]) { state.withLock { $0.epochs = epochs } }

  var membership: Membership {
    var membership = Membership(database)
    let epochs = membership.epochs
    membership.epochs = { [state] () throws(TreeError) in
      guard let known = state.withLock(\.epochs) else { return try epochs() }
      return Epochs(current: known[0], known: known)
    }
    membership.standing = { [state] (key) throws(TreeError) in state.withLock { $0.standings[key] } ?? .member }
    membership.admits = { [state] (claim) throws(TreeError) in state.withLock { $0.admitted[claim] } }
    membership.claim = { [state] () throws(TreeError) in state.withLock(\.claim) }
    membership.isNewcomer = { [state] () throws(TreeError) in state.withLock(\.isNewcomer) }
    membership.now = { [state] () in state.withLock(\.now) }
    return membership
  }
}
