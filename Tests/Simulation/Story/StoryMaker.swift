import TestSupport

/// Makes a history from a seed. The same seed gives the same one, everywhere.
package struct StoryMaker {
  static let names = ["anna", "ben", "cleo", "dora", "emil", "fred", "gina", "hans"]
  static let year: Int64 = 31_557_600_000

  var random: SeededRandom
  var story = Story()
  let mix: Mix
  /// Connections that may stand.
  var links: [(String, String)] = []
  var saved: [(device: String, name: String)] = []
  /// Where most writes go.
  let hot: String
  /// Devices and clones.
  var names: [String] = []

  private init(_ seed: UInt64, _ mix: Mix) {
    random = SeededRandom(seed: seed)
    hot = random.pick(Self.paths)
    self.mix = mix
  }

  package static func story(_ seed: UInt64, _ mix: Mix? = nil) -> Story {
    let mix = mix ?? Mix.of(seed)
    var maker = StoryMaker(seed, mix)
    maker.make()
    maker.story.name = "\(mix.rawValue) \(seed)"
    return maker.story
  }

  private mutating func make() {
    let count = random.pick(mix == .history ? [3, 3, 3, 4, 4, 5] : [2, 2, 2, 3, 3, 3, 4, 4, 5, 8])
    story.devices = Array(Self.names.prefix(count))
    names = story.devices
    if mix.hasLiar(random.chance(25)) { story.liars = ["liam"] }
    story.relaxed = names.filter { _ in random.chance(mix.relaxedPercent) }
    if random.chance(15) { story.watched = [pick()] }
    story.healing = mix == .folder || mix.usesFolder && random.chance(25) ? .folder : .links
    let acts = (mix.acts + (mix == .history && !story.liars.isEmpty ? [(.lie, 6)] : [])).flatMap {
      Array(repeating: $0.act, count: $0.weight)
    }
    let length = random.pick([12, 20, 30, 30, 50, 80])
    while story.steps.count < length { add(random.pick(acts)) }
  }

  private mutating func add(_ act: Mix.Act) {
    switch act {
    case .write: write(pick())
    case .time: time()
    case .check: step(pick(), .checks)
    case .link: link()
    case .folder: share()
    case .damage: damage()
    case .die: step(pick(), .dies)
    case .faint: step(pick(), .faints, random.pick([0, 1, 2, 3, 4, 7]))
    case .copy: copy()
    case .govern: govern()
    case .lie: lie()
    case .compact: compact()
    }
  }

  mutating func pick() -> String { random.pick(names) }

  mutating func pickPair() -> (String, String) {
    let first = pick()
    var second = pick()
    while second == first { second = pick() }
    return (first, second)
  }

  mutating func step(_ actor: String, _ verb: Step.Verb, _ words: Any...) {
    story.steps.append(Step(actor, verb, words.map { "\($0)" }))
  }
}
