import OfflineTree
import TestSupport
import Testing

/// The tables in `fixtures/rules/`.
@Suite struct RuleTableTests {
  @Test(arguments: ["jokes", "cascades"])
  func `every case comes out as the table says`(name: String) throws {
    let table = try RuleTable(name)
    #expect(table.cases.count > 20)
    for document in table.cases {
      let outcome = try table.outcome(of: document)
      #expect(outcome == RuleTable.expectation(of: document), "\(document["name"]?.text ?? "")")
    }
  }

  @Test func `every expression comes to what the table says`() throws {
    let document = try JSON(parsing: try Fixtures.text("rules/expressions.json"))
    let actor = try #require(try RuleTable.actor(document["actor"]))
    let (leaves, now) = (document["put"] ?? .null, document["now"]?.integer ?? 0)
    var count = 0
    for (member, actor) in [("expressions", actor), ("withoutActor", nil)] {
      for row in document[member]?.elements ?? [] {
        let expression = try #require(row.elements.first?.text)
        let value = try Rules.value(of: expression, by: actor, putting: leaves, now: now)
        #expect(JSON(value.map { .bool($0) }).description == row.elements.last?.description, "\(expression)")
        count += 1
      }
    }
    #expect(count > 150)
  }

  @Test func `every pattern matches what the table says`() throws {
    let document = try JSON(parsing: try Fixtures.text("rules/patterns.json"))
    let rows = document["patterns"]?.elements ?? []
    #expect(rows.count > 150)
    for row in rows {
      let (pattern, flags) = (row.elements[0].text ?? "", row.elements[1].text ?? "")
      let text = row.elements[2].text ?? ""
      let value = try Rules.value(
        of: "newData.val().matches(/\(pattern)/\(flags))", putting: .scalar(.string(text)))
      #expect(JSON(value.map { .bool($0) }).description == row.elements[3].description, "\(row)")
    }
  }

  @Test func `the rules of the jokes have nothing to warn of`() throws {
    #expect(try RuleTable("jokes").rules.warnings == [])
  }

  @Test func `a refusal is a sentence with the rule and its line`() throws {
    let table = try RuleTable("jokes")
    let anna = Actor(uid: try Key("uidOfAnna"), email: "", name: "Anna", isEmailVerified: false)
    func sentence(_ writes: String) throws -> String? {
      let change = try RuleTable.change(try JSON(parsing: writes).elements, now: 0)
      return table.rules.refusal(of: change, by: anna, table.declarations)?.description
    }
    #expect(
      try sentence(#"[{"set": "jokes/j1", "value": {"author": "Ben", "jokeText": "Ha", "votes": 0}}]"#)
        == "the rules do not let it write at /jokes/j1/author: .validate of /jokes/$joke/author (line 13) is false")
    #expect(
      try sentence(#"[{"set": "a", "value": 1}]"#)
        == "the rules do not let it write at /a: no .write on the way there")
    #expect(
      try sentence(#"[{"vote": "jokes/j1/votes", "voter": "x", "choice": 1}]"#)
        == "the rules do not let it vote at /jokes/j1/votes: the voter is not who is signed in")
    #expect(
      try sentence(#"[{"increment": "jokes/j1/votes", "by": 1}]"#)
        == "the rules do not let it increment at /jokes/j1/votes: .increment of / (line 7) is false")
  }
}
