import OfflineTree
import TestSupport
import Testing

@Suite struct AuthorityTests {
  @Test(arguments: Seeds.scaled(200))
  func `verdicts are the model's in every order of arrival and at every step`(seed: UInt64) throws {
    let history = try RandomControls(seed: seed, count: 16 + Int(seed % 25)).history
    var random = SeededRandom(seed: seed &+ 1_000_000)
    for round in 0..<4 {
      var replica = ControlReplica(history)
      for index in history.causalOrder(&random) {
        replica.add(index)
        if round > 1, random.chance(15) { replica.rejudge() }
        guard round == 0 || replica.order.count == history.changes.count else { continue }
        let differences = replica.differences()
        #expect(differences.isEmpty, "seed \(seed), after \(replica.order): \(differences)")
        if !differences.isEmpty { return }
      }
    }
  }

  @Test func `random histories hold every kind of verdict`() throws {
    var reasons: Set<ModelAuthority.Reason> = []
    var steps: Set<Rank> = []
    for seed in UInt64(0)..<100 {
      let history = try RandomControls(seed: seed, count: 40).history
      let model = history.model(history.changes.indices)
      reasons.formUnion(model.verdicts.compactMap { $0 })
      steps.formUnion(model.ends.map(\.rank))
    }
    #expect(reasons == [.unregistered, .noMember, .ended, .denied, .readOnly])
    #expect(steps.isSuperset(of: [.member, .owner, .founder, .recovery]))
  }
}
