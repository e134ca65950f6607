/// Which name in the tree a property of a type has.
public enum KeyStrategy: Sendable {
  /// The name of the type's `CodingKey`.
  case useDefaultKeys
  /// `imageURL` is `image_url` in the tree. Both ways are one function, so what was written is found again whatever the
  /// name; a name that has no such form in the tree is looked for as it is.
  case convertToSnakeCase
  /// A function from where a property is in the type to its name in the tree, called with the whole coding path. Encoder
  /// and decoder need the same one. Names of dictionaries' entries are data and never converted.
  case custom(@Sendable (_ codingPath: [any CodingKey]) -> String)

  /// The name in the tree of the property `key` of the type at `trail`.
  func name(of key: any CodingKey, below trail: CodingTrail) -> String {
    switch self {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: Self.snakeCase(key.stringValue)
    case .custom(let convert): convert(trail.codingPath + [key])
    }
  }

  /// "imageURL" → "image_url", "URLOfImage2" → "url_of_image2"; underscores at the ends stay.
  static func snakeCase(_ name: String) -> String {
    let characters = Array(name)
    var result = ""
    for (index, character) in characters.enumerated() {
      let before = index > 0 ? characters[index - 1] : "_"
      let after = index + 1 < characters.count ? characters[index + 1] : "_"
      let startsWord = !before.isUppercase || (after.isLowercase && before.isUppercase)
      if character.isUppercase, before != "_", startsWord { result.append("_") }
      result.append(contentsOf: character.lowercased())
    }
    return result
  }

  /// "image_url" → "imageUrl": for those who ask a container which keys it has.
  static func camelCase(_ name: String) -> String {
    guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" }) else {
      return name
    }
    let words = name[first...last].split(separator: "_")
    let camel = words.dropFirst().reduce(words.first.map(String.init) ?? "") {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
    return name[..<first] + camel + name[name.index(after: last)...]
  }
}
