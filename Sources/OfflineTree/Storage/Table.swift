/// The tables of a store. Their numbers are part of the format: they go into every record's checksum.
package enum Table: UInt8, CaseIterable, Sendable {
  case meta = 1
  case log = 2
  case context = 3
  case run = 4
  case void = 5
  case waiting = 6
  case tree = 7
  case hidden = 8
  case priority = 9
  case rival = 10
  case deep = 11
  case part = 12
  case vote = 13
  case hash = 14
  case commit = 15
  case remote = 16
  case control = 17
  case index = 18
  case signature = 19
  case awaited = 20
  case blob = 21
  case need = 22
  case file = 23
  case chunk = 24
  case mark = 25

  /// The name under which LMDB knows the table.
  package var name: String { String(describing: self) }
}
