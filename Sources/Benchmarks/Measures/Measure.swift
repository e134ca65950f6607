/// The measures by name.
enum Measure: String, CaseIterable {
  case insert
  case increment
  case vote
  case single
  case group
  case merge
  case sync
  case rules
  case open
  case readJSON = "read.json"

  func run(_ stage: Stage) async throws -> Measurement {
    switch self {
    case .insert: try stage.insert()
    case .increment: try stage.increment()
    case .vote: try stage.vote()
    case .single: try stage.single()
    case .group: try await stage.group()
    case .merge: try await stage.merge()
    case .sync: try await stage.sync()
    case .rules: try await stage.rules()
    case .open: try stage.open()
    case .readJSON: try stage.readJSON()
    }
  }
}
