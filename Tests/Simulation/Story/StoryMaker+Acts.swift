import TestSupport

extension StoryMaker {
  static let paths = ["a", "b", "c", "a/x", "a/y", "a/x/m", "b/z"]
  private static let values = ["1", "7", "-3", "true", "\"s\"", "2.5", #"{"x":1,"y":{"m":2}}"#, #"{"m":"t"}"#, "null"]

  /// One or a few changes in a row.
  mutating func write(_ name: String) {
    for _ in 0..<random.pick([1, 1, 2, 3]) { writeOne(name) }
  }

  private mutating func writeOne(_ name: String) {
    // Mostly at one place, so that writes meet.
    let path = random.chance(60) ? hot : random.pick(Self.paths)
    switch Int.random(in: 0..<24, using: &random) {
    case 20..<23: step(name, .adds, path, random.pick([1, 2, -1, 10]))
    case 23: step(name, .removes, path)
    case 0..<7: step(name, .increments, random.pick([1, 2, 3, 5]))
    case 7..<10: step(name, .sets, path, random.pick(Self.values))
    case 10: step(name, .removes, path)
    case 11..<13: step(name, .adds, path, random.pick([1, 2, -1, 10]))
    case 13: step(name, .ranks, path, random.pick(["1", "2", "none"]))
    case 14..<16: step(name, .pushes, random.pick(["p", "q", "r"]))
    case 16: step(name, .sets, "open/\(random.pick(["j", "k"]))", #"{"text":"\#(random.pick(["p", "q"]))","votes":0}"#)
    default:
      let place = random.pick(["joke0", "joke1", "joke2", "open/j/votes", "open/k/votes", "c"])
      step(name, .votes, place, random.pick(["u", "v", "w"]), random.pick([-1, 0, 1, 1]))
    }
  }

  mutating func time() {
    if random.chance(50) {
      let jump = random.pick([1_000, 60_000, 86_400_000, Self.year, 3 * Self.year, 20 * Self.year])
      step(pick(), .jumps, random.chance(50) ? jump : -jump)
    } else {
      step(pick(), .waits, random.pick([1, 1_000, 21_000, 31_000, 61_000, 130_000, 660_000]))
    }
  }

  /// A connection, or what happens on one: a good part of it at once, so that something comes of it.
  mutating func link() {
    if random.chance(mix == .history ? 60 : 30) {
      let (near, far) = pickPair()
      // Mostly with the founder, who keeps all.
      return step(near == names[0] ? far : near, .talks, random.chance(60) ? names[0] : far)
    }
    if links.isEmpty || random.chance(20) {
      let pair = pickPair()
      if random.chance(30) { step(pair.0, .meets, pair.1, "once") } else { step(pair.0, .meets, pair.1) }
      links.append(pair)
    }
    let index = Int.random(in: links.indices, using: &random)
    let link = links[index]
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let (near, far) = random.chance(50) ? link : (link.1, link.0)
      switch Int.random(in: 0..<24, using: &random) {
      case 0: step(near, .works, far, random.pick([1, 2, 5]))
      case 1, 2: step(near, .hears, far, random.pick([1, 2]), "lazily")
      case 3: write(near)
      case 4 where random.chance(60):
        step(near, .loses, far, random.pick([0, 3, 40, 150, 400, 1_000]), random.pick([0, 3, 60, 200, 600]))
        links.remove(at: index)
        return
      case 5 where random.chance(30):
        step(near, .stops, far)
      default: step(near, .hears, far, random.pick([1, 1, 2, 3, 6]))
      }
    }
  }

  mutating func share() {
    let (near, far) = pickPair()
    if random.chance(60) { exchange(far) }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: step(near, .gets, far, random.pick([1, 2, 3]))
    case 1: step(near, .gets, far, random.pick([1, 2, 3]), random.pick([0, 5, 60, 200, 300]))
    case 2: break
    default: step(near, .gets, far)
    }
    if random.chance(60) { exchange(near) }
  }

  private mutating func exchange(_ name: String) {
    guard mix == .folder || mix == .power || mix == .all, random.chance(25) else { return step(name, .exchanges) }
    let faults = mix == .power ? ["faints", "dies"] : ["full", "io", "short", "dies", "faints", "vanishes"]
    step(name, .exchanges, random.pick(faults), random.pick([0, 1, 2, 3, 4, 5, 6, 9]))
  }

  mutating func damage() {
    let number = Int.random(in: 0..<20, using: &random)
    let bytes = random.pick([0, 1, 30, 70, 150, 290, 500])
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: step(pick(), .misses, number)
    case 2, 3: step(pick(), .drops, number)
    case 4: step(pick(), .tears, number, bytes)
    case 5: step(pick(), .zeroes, number, bytes)
    case 6: step(pick(), .forks, number, bytes)
    default: if random.chance(50) { step(pick(), .shouts, number) } else { step(pick(), .litters, number) }
    }
  }

  mutating func copy() {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let (device, name) = (pick(), "copy\(saved.count)")
      step(device, .saves, name)
      saved.append((device, name))
    case 1 where names.count < 8:
      let (device, name) = (pick(), "twin\(names.count)")
      step(device, .clones, name)
      names.append(name)
    default:
      guard !saved.isEmpty else { return }
      let (device, name) = random.pick(saved)
      step(device, .restores, name, random.pick(["inplace", "whole", "fresh"]))
    }
  }

  mutating func govern() {
    let target = random.pick(Array(names.dropFirst()))
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: step(names[0], .expels, target)
    case 3..<6: step(names[0], .voids, target)
    case 6: step(pick(), .rotates)
    case 7 where names.count < 8:
      let name = "new\(names.count)"
      step(names[0], .joins, name)
      begin(name)
      names.append(name)
    default: write(target)
    }
  }

  /// How a newcomer begins: over a connection, or by the folder, where it may find a checkpoint.
  private mutating func begin(_ name: String) {
    guard mix.usesFolder, random.chance(60) else { return step(name, .talks, names[0]) }
    if random.chance(70) { step(names[0], .vouches) }
    exchange(names[0])
    step(name, .gets, names[0])
    if random.chance(30) { step(name, random.pick([.drops, .misses]), Int.random(in: 0..<20, using: &random)) }
    exchange(name)
  }

  /// Somebody drops what every keeper has; sometimes who keeps changes.
  mutating func compact() {
    if random.chance(15) { step(pick(), .keeps, random.pick(["all", "little"])) } else { step(pick(), .compacts) }
  }

  mutating func lie() {
    let liar = story.liars.first ?? names[0]
    if random.chance(45) {
      step(liar, random.chance(80) ? .tells : .plants, pick(), random.pick([0, 0, 1, 2, 3]))
    } else {
      let kinds = [
        "clears", "low", "high", "sees", "sees", "deaf", "strange", "disorders", "forks", "forks", "meddles", "floods",
        "puts", "puts",
      ]
      step(liar, .lies, random.pick(kinds), Int.random(in: 0..<100, using: &random))
    }
  }
}
