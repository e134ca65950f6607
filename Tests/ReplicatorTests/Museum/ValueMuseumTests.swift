import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Values that come back as something else (docs/museum.md).
@Suite struct ValueMuseumTests {
  private func roundTrip(_ json: String) throws -> String {
    let (homes, first, second) = try TestHomes.two()
    try first.write { try $0.setValue(NewValue(json: json), at: Path("data")) }
    try homes.settle(first, second)
    let path = second.home
    second.close()
    return try Museum.json("data", of: try homes.open(path))
  }

  @Test func `an object with numeric keys stays an object`() throws {
    for json in [#"{"1":"a","2":"b","5":"c"}"#, #"{"0":"a","1":"b"}"#, #"{"100":1}"#] {
      #expect(try roundTrip(json) == json)
    }
  }

  @Test func `an integer of 64 bits comes back as the integer it was`() throws {
    let json = #"{"a":9007199254740993,"b":9223372036854775807,"c":-9223372036854775808,"d":1,"e":1.5}"#
    #expect(try roundTrip(json) == json)
    let (homes, first, second) = try TestHomes.two()
    try Museum.set("n", .int(9_007_199_254_740_993), on: first)
    try homes.settle(first, second)
    try Museum.increment(2, on: second, at: "n")
    try homes.settle(first, second)
    #expect(try Museum.scalar("n", of: first) == .int(9_007_199_254_740_995))
  }
}
