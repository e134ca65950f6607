import Testing

@testable import Replicator

@Suite struct DoorwayTests {
  private var doorway = Doorway<Int>()

  /// Lets somebody in, and answers who has to go.
  private mutating func enter(_ guest: Int, from address: UInt8, isKeyed: Bool = false) -> Int? {
    let number = doorway.number()
    #expect(number == UInt64(guest))
    let displaced = doorway.enter(guest, number: number, address: [address])
    if isKeyed { doorway.keyed(number) }
    return displaced
  }

  private mutating func expect(
    _ guest: Int, from address: UInt8, isKeyed: Bool = false, displaces other: Int?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let displaced = enter(guest, from: address, isKeyed: isKeyed)
    #expect(displaced == other, sourceLocation: sourceLocation)
  }

  @Test mutating func `the ninth from one address displaces the oldest from there`() {
    expect(1, from: 1, displaces: nil)
    for guest in 2...9 { expect(guest, from: 2, displaces: nil) }
    expect(10, from: 2, displaces: 2)
    expect(11, from: 1, displaces: nil)
    expect(12, from: 2, displaces: 3)
    #expect(doorway.halfOpenCount == 10)
  }

  @Test mutating func `the sixty-fifth displaces the oldest of all`() {
    for guest in 1...64 { expect(guest, from: UInt8(guest), displaces: nil) }
    expect(65, from: 65, displaces: 1)
    expect(66, from: 66, displaces: 2)
    #expect(doorway.halfOpenCount == 64)
  }

  @Test mutating func `who holds the key goes last`() {
    for guest in 1...64 { expect(guest, from: UInt8(guest), isKeyed: guest <= 60, displaces: nil) }
    for guest in 65...67 { expect(guest, from: UInt8(guest), displaces: guest - 4) }
    // Nobody new is refused: with none left that lacks the key, the oldest goes.
    var last = 68
    while doorway.halfOpenCount == 64, last < 200 {
      let displaced = enter(last, from: UInt8(last), isKeyed: true)
      last += 1
      if displaced == 1 { return }
    }
    Issue.record("never")
  }

  @Test mutating func `one that was told to go and proves itself first may stay`() {
    for guest in 1...9 { _ = enter(guest, from: 1) }
    let surplus = doorway.proved(1, isMember: true)
    #expect(surplus == nil && doorway.isProven(1))
    #expect(doorway.guests.sorted() == Array(1...9))
    doorway.left(1)
    #expect(doorway.guests.sorted() == Array(2...9))
  }

  @Test mutating func `the last places are for members`() {
    let forAll = Doorway<Int>.places - Doorway<Int>.placesForMembers
    var surplus: [Int] = []
    for guest in 1...Doorway<Int>.places + 3 {
      _ = enter(guest, from: UInt8(truncatingIfNeeded: guest))
      // One more newcomer than there are places, then members only.
      surplus += [doorway.proved(UInt64(guest), isMember: guest > forAll + 1)].compactMap(\.self)
      if guest == Doorway<Int>.places + 2 { doorway.left(1) }
    }
    #expect(surplus == [forAll + 1, Doorway<Int>.places + 2])
    #expect(doorway.halfOpenCount == 0)
  }

  @Test mutating func `those who are told to go and stay make a crowd`() {
    for guest in 1...72 { _ = enter(guest, from: 1) }
    #expect(!doorway.isCrowded)
    _ = enter(73, from: 1)
    #expect(doorway.isCrowded)
    doorway.left(1)
    #expect(!doorway.isCrowded)
  }
}
