/// Numbers below `count` by Zipf's law with exponent 1: the n-th most frequent one comes 1/n times as often as the first.
///
/// The frequent numbers are scattered over the range.
struct Zipf {
  private let cumulated: [Double]

  init(count: Int) {
    var sum = 0.0
    cumulated = (1...count).map { rank in
      sum += 1 / Double(rank)
      return sum
    }
  }

  func next(_ generator: inout SeededGenerator) -> Int {
    let chance = Double.random(in: 0..<(cumulated.last ?? 0), using: &generator)
    var (low, high) = (0, cumulated.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if cumulated[middle] < chance { low = middle + 1 } else { high = middle }
    }
    return low * 2_654_435_761 % cumulated.count
  }
}
