/// The rules that a space has had: those of the genesis, and what owners set later.
///
/// What nobody may set is never compiled, and of the others no more are kept compiled than are used.
struct RuleBook: Sendable {
  private var first: Rules?
  private var records: [Int] = []
  /// Records that stand, the newest first.
  private(set) var standing: [Int] = []
  private let compiled = CompiledRules()

  /// Have none been set? Then nothing is judged by rules.
  var isEmpty: Bool { first == nil && standing.isEmpty }

  mutating func adopt(_ genesis: Genesis) { first = genesis.rules.isEmpty ? nil : try? Rules(genesis.rules) }

  mutating func note(_ index: Int) { records.append(index) }

  /// Takes over what the verdicts say.
  mutating func keep(_ all: [Authority.Record], _ verdicts: [String?]) {
    standing = []
    for index in records where verdicts[index] == nil { keep(index, all) }
  }

  /// Takes over a record that stands, if it sets rules.
  mutating func keep(_ index: Int, _ all: [Authority.Record]) {
    let record = all[index]
    guard RuleBook.text(of: record) != nil else { return }
    let place = standing.firstIndex { (all[$0].stamp, all[$0].branch) < (record.stamp, record.branch) }
    standing.insert(index, at: place ?? standing.count)
  }

  /// Why a text is no rules, or nil.
  static func fault(of text: [UInt8]) -> String? {
    do throws(TreeError) {
      _ = try Rules(text)
      return nil
    } catch {
      return "its rules are none: \(error.context)"
    }
  }

  /// The rules of a record, or those of the genesis.
  func rules(of record: Authority.Record?) -> Rules? {
    guard let record else { return first }
    return RuleBook.text(of: record).flatMap { compiled[$0] }
  }

  /// The document that a record sets; a change sets one at most.
  private static func text(of record: Authority.Record) -> [UInt8]? {
    for case .rules(let text) in record.controls { return text }
    return nil
  }
}

/// The rules that were asked for last.
private final class CompiledRules: Sendable {
  private static let limit = 8
  /// The one that was used last comes last.
  private let known = Monitor<[Rules]>([])

  /// Nil for what does not compile, which is void by form, and no record.
  subscript(text: [UInt8]) -> Rules? {
    known.withLock { known in
      if let last = known.last, last.text == text { return last }
      let place = known.firstIndex { $0.text == text }
      guard let rules = place.map({ known.remove(at: $0) }) ?? (try? Rules(text)) else { return nil }
      known.append(rules)
      if known.count > Self.limit { known.removeFirst() }
      return rules
    }
  }
}

extension Authority {
  /// The rules in the eyes of a change: the newest of those in its past.
  func rules(_ act: Act) -> Rules? {
    ruleBook.rules(of: ruleBook.standing.first { act.sees(records[$0]) }.map { records[$0] })
  }

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
