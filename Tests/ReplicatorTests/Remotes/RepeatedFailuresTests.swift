import OfflineTree
import Testing

@testable import Replicator

@Suite struct RepeatedFailuresTests {
  private var failures = RepeatedFailures()

  private static func failure(_ words: String, at remote: RemoteAddress? = nil) -> RepeatedFailures.Failure {
    RepeatedFailures.Failure(remote: remote, error: TreeError(.unavailable, words, advice: "Wait."))
  }

  /// Which of these are told at once.
  private mutating func told(_ words: [String]) -> [String] {
    words.filter { failures.isNews(Self.failure($0)) }
  }

  @Test mutating func `one address and cause is told at once, and then counted once a minute`() {
    let words = Array(repeating: "a: no key", count: 1_001) + ["a: too late", "b: no key", "b: no key"]
    let now = told(words)
    #expect(now == ["a: no key", "a: too late", "b: no key"])
    let (repeated, others) = failures.endMinute()
    #expect(
      repeated == [
        Self.failure("a: no key, 1000 more times within a minute"),
        Self.failure("b: no key, once more within a minute"),
      ])
    #expect(others == nil)
  }

  @Test mutating func `what goes on has one line a minute, and what has ended none`() {
    var lines = [told(["a", "a"]).count]
    for _ in 0..<3 {
      lines.append(failures.endMinute().repeated.count)
      lines[lines.count - 1] += told(["a"]).count
    }
    for _ in 0..<2 { lines.append(failures.endMinute().repeated.count) }
    #expect(lines == [1, 1, 1, 1, 1, 0])
    #expect(failures.isEmpty)
    let again = told(["a"])
    #expect(again == ["a"])
  }

  @Test mutating func `a remote and somebody who connected are told apart`() {
    let remotes: [RemoteAddress?] = [nil, .tcp(host: "a", port: 1), .tcp(host: "a", port: 2)]
    let news = (remotes + remotes).map { failures.isNews(Self.failure("a", at: $0)) }
    #expect(news == [true, true, true, false, false, false])
    let (repeated, _) = failures.endMinute()
    #expect(repeated.map(\.remote) == remotes)
  }

  @Test mutating func `a crowd of addresses has few lines, and one for all the others`() {
    let news = told((0..<1_000).map(String.init))
    #expect(news.count == RepeatedFailures.kept)
    let (repeated, others) = failures.endMinute()
    #expect(repeated.isEmpty && failures.isEmpty)
    #expect(others?.contains("\(1_000 - RepeatedFailures.kept) more") == true)
  }
}
