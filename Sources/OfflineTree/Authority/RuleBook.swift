/// The rules that a space has had: those of the genesis, and what owners set later.
struct RuleBook: Sendable {
  private var first: Rules?
  /// By record.
  private var later: [Int: Rules] = [:]
  private(set) var records: [Int] = []

  /// Has nobody ever set any? Then nothing is judged by rules.
  var isEmpty: Bool { first == nil && records.isEmpty }

  mutating func adopt(_ genesis: Genesis) { first = genesis.rules.isEmpty ? nil : try? Rules(genesis.rules) }

  mutating func note(_ text: [UInt8], _ index: Int) {
    // What does not compile is void by form, and no record.
    guard let rules = try? Rules(text) else { return }
    later[index] = rules
    records.append(index)
  }

  /// Why a text is no rules, or nil; none at all is right.
  static func fault(of text: [UInt8]) -> String? {
    if text.isEmpty { return nil }
    do throws(TreeError) {
      _ = try Rules(text)
      return nil
    } catch {
      return "its rules are none: \(error.context)"
    }
  }

  subscript(index: Int?) -> Rules? { index.flatMap { later[$0] } ?? first }
}

extension Authority {
  /// The rules in the eyes of a change: the newest of those in its past.
  func rules(_ act: Act) -> Rules? {
    var best: Int?
    for index in ruleBook.records where verdicts[index] == nil && act.sees(records[index]) {
      guard let other = best.map({ records[$0] }) else {
        best = index
        continue
      }
      let record = records[index]
      if (other.stamp, other.branch) < (record.stamp, record.branch) { best = index }
    }
    return ruleBook[best]
  }

  /// Why a change is void by who its author is, or by the rules; for changes that are not records.
  func fault(of change: Change, at dot: Dot, device: Bytes32, context: Context) -> String? {
    if change.author == nil, ruleBook.isEmpty { return nil }
    let act = Act(dot: dot, device: device, author: change.author, context: context)
    return fault(of: change, act, people.current(change.author))
  }

  func fault(of change: Change, _ act: Act, _ standing: People.Standing) -> String? {
    var actor: Actor?
    if let author = act.author {
      let seat = seat(of: author, act, standing)
      guard let account = seat.account else { return seat.fault }
      actor = Actor(
        uid: author, email: account.email, name: account.username, isEmailVerified: isVouched(account, act))
    }
    if change.operations.isEmpty || ruleBook.isEmpty { return nil }
    // What an owner's device does without an author is administration.
    if actor == nil, isOwner(act) { return nil }
    return rules(act)?.refusal(of: change, by: actor, declarations)?.description
  }
}
