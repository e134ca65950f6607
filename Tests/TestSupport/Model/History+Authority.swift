import OfflineTree

/// What is void by judgement.
extension History {
  /// Members, roles and ends of this set; nil without a genesis.
  package var authority: ModelAuthority? {
    guard let genesis else { return nil }
    return ModelAuthority(
      founder: genesis.founder, membersMayInvite: genesis.membersMayInvite, records.indices.map(judged))
  }

  /// Why each change is void by judgement, or nil; what is void by form may be anything.
  func verdicts() -> [String?] {
    guard let authority else { return records.map { _ in nil } }
    let people = people(authority)
    return zip(authority.verdicts, people.verdicts).map { device, person in
      device.map { "\($0)" } ?? person.map { "\($0)" }
    }
  }

  /// Accounts, log-ins and rules of this set; nil without a genesis.
  package var people: ModelPeople? { authority.map { people($0) } }

  private func people(_ authority: ModelAuthority) -> ModelPeople {
    ModelPeople(self, authority, barred: records.indices.map { faults[$0] != nil || authority.verdicts[$0] != nil })
  }

  private func judged(_ index: Int) -> ModelAuthority.Change {
    let change = change(index)
    var result = ModelAuthority.Change(
      device: deviceKey(of: index) ?? .zero, log: records[index].log, beginning: beginning(of: index),
      past: pasts[index])
    result.standing = change.introduction?.standing
    result.controls = change.controls
    result.isRecovery = change.recoverySignature != nil
    result.writes = !change.operations.isEmpty
    result.isVoidByForm = faults[index] != nil
    return result
  }

  /// Change 0 of a change's log, on its branch.
  private func beginning(of index: Int) -> Int {
    var index = index
    while records[index].seq > 0, let previous = self.index(of: records[index].previous) { index = previous }
    return index
  }
}
