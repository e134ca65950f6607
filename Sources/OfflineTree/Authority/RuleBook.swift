/// The rules that a space has had: those of the genesis, and what owners set later.
struct RuleBook: Sendable {
  private var first: Rules?
  /// By record.
  private var later: [Int: Rules] = [:]
  private var records: [Int] = []
  /// Records that stand, the newest first.
  private(set) var standing: [Int] = []

  /// Have none been set? Then nothing is judged by rules.
  var isEmpty: Bool { first == nil && standing.isEmpty }

  mutating func adopt(_ genesis: Genesis) { first = genesis.rules.isEmpty ? nil : try? Rules(genesis.rules) }

  mutating func note(_ text: [UInt8], _ index: Int) {
    // What does not compile is void by form, and no record.
    guard let rules = try? Rules(text) else { return }
    later[index] = rules
    records.append(index)
  }

  /// Takes over what the verdicts say.
  mutating func keep(_ all: [Authority.Record], _ verdicts: [String?]) {
    standing = []
    for index in records where verdicts[index] == nil { keep(index, all) }
  }

  /// Takes over a record that stands.
  mutating func keep(_ index: Int, _ all: [Authority.Record]) {
    guard later[index] != nil else { return }
    let record = all[index]
    let place = standing.firstIndex { (all[$0].stamp, all[$0].branch) < (record.stamp, record.branch) }
    standing.insert(index, at: place ?? standing.count)
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
  func rules(_ act: Act) -> Rules? { ruleBook[ruleBook.standing.first { act.sees(records[$0]) }] }

  /// Why a change is void by who its author is, or by the rules; for changes that are not records.
  func fault(of change: Change, at dot: Dot, device: Bytes32, context: Context) -> String? {
    if change.author == nil, ruleBook.isEmpty { return nil }
    let act = Act(dot: dot, device: device, author: change.author, context: context)
    return fault(of: change, change.author.map { people[$0] } ?? Person(), act, .all)
  }

  func fault(of change: Change, _ person: Person, _ act: Act, _ step: People.Step) -> String? {
    var actor: Actor?
    if let author = act.author {
      let seat = seat(of: author, person, act, step)
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
