/// How a coder got to a node: the keys from where it began, in the type's words and in the tree's.
final class CodingTrail {
  private let parent: CodingTrail?
  private let step: (any CodingKey)?
  /// The tree's name of the node; nil where the coder began.
  let name: String?

  init() { (parent, step, name) = (nil, nil, nil) }

  private init(_ parent: CodingTrail, _ step: any CodingKey, _ name: String) {
    self.parent = parent
    self.step = step
    self.name = name
  }

  func child(_ step: any CodingKey, _ name: String) -> CodingTrail { CodingTrail(self, step, name) }

  func child(_ index: Int) -> CodingTrail { CodingTrail(self, IndexCodingKey(index), "\(index)") }

  /// One level up; itself where the coder began.
  var above: CodingTrail { parent ?? self }

  /// The property that the node is; nil for an element, and where the coder began.
  var property: (any CodingKey)? { step is IndexCodingKey ? nil : step }

  /// The type's words, from the top down.
  var codingPath: [any CodingKey] { (parent?.codingPath ?? []) + (step.map { [$0] } ?? []) }

  /// The tree's names, from the top down.
  var names: [String] { (parent?.names ?? []) + (name.map { [$0] } ?? []) }

  /// Where the node is, below `base`, for a sentence.
  func place(below base: Path) -> String {
    let text = (base.keys.map(\.text) + names).joined(separator: "/")
    return text.isEmpty ? "the value" : text
  }
}

/// The place of an element in an array.
struct IndexCodingKey: CodingKey {
  let intValue: Int?
  var stringValue: String { "\(intValue ?? 0)" }

  init(_ index: Int) { intValue = index }
  init?(intValue: Int) { self.init(intValue) }
  init?(stringValue: String) { return nil }
}

/// A name that stands in no type: a dictionary's key, or "super".
struct NameCodingKey: CodingKey {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init("\(intValue)") }

  static let superKey = NameCodingKey("super")
}
