/// A simulated history as data: whose devices there are, and what happens, step by step. Its text needs no seed.
///
/// ```
/// name a clone counts once
/// devices anna ben cleo
/// liar dora
/// relaxed ben
/// watched cleo
/// heals links
/// anna increments 3
/// ben meets anna
/// ```
package struct Story: Hashable, Sendable, CustomStringConvertible {
  package enum Healing: String, Sendable, CaseIterable {
    case links, folder
  }

  package var name = ""
  /// The first one made the space. Those that join or are cloned later are named by their step.
  package var devices: [String] = []
  /// Members with a changed program; they have no home.
  package var liars: [String] = []
  /// Devices whose commits do not wait for the disk.
  package var relaxed: [String] = []
  /// Devices on which somebody watches the tree.
  package var watched: [String] = []
  /// By what way all meet at the end.
  package var healing = Healing.links
  package var steps: [Step] = []

  package init() {}

  package init(text: String) throws(StoryError) {
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map(String.init)
      guard let first = words.first else { continue }
      let rest = Array(words.dropFirst())
      switch first {
      case "name": name = rest.joined(separator: " ")
      case "devices": devices = rest
      case "liar": liars = rest
      case "relaxed": relaxed = rest
      case "watched": watched = rest
      case "heals":
        guard let way = Healing(rawValue: rest.first ?? "") else { throw StoryError("no way to heal: \(line)") }
        healing = way
      default: steps.append(try Step(line: String(line)))
      }
    }
    if devices.isEmpty { throw StoryError("a history without devices") }
  }

  package var description: String {
    var lines: [String] = name.isEmpty ? [] : ["name \(name)"]
    lines.append("devices \(devices.joined(separator: " "))")
    for (word, names) in [("liar", liars), ("relaxed", relaxed), ("watched", watched)] where !names.isEmpty {
      lines.append("\(word) \(names.joined(separator: " "))")
    }
    lines.append("heals \(healing.rawValue)")
    lines += steps.map(\.description)
    return lines.joined(separator: "\n") + "\n"
  }
}
