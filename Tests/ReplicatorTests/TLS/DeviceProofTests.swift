import OfflineTree
import Testing

@testable import Replicator

@Suite struct DeviceProofTests {
  static let exporter = Bytes32([UInt8](repeating: 0xE, count: 32))
  private var client: ProofEnd
  private var server: ProofEnd

  init() {
    client = ProofEnd(.client, device: 1, exporter: Self.exporter)
    server = ProofEnd(.server, device: 2, exporter: Self.exporter)
    client.admissions[server.key] = .member
    server.admissions[client.key] = .member
  }

  /// Lets both ends say what they have to say.
  private mutating func run() {
    client.start()
    server.start()
    for _ in 0..<3 {
      for message in client.takeSent() { server.receive(message) }
      for message in server.takeSent() { client.receive(message) }
    }
  }

  @Test mutating func `two members know each other in the end`() {
    run()
    #expect(client.proven?.key == server.key && client.proven?.admission == .member)
    #expect(server.proven?.key == client.key && server.proven?.admission == .member)
    #expect(client.closed == nil && server.closed == nil)
  }

  @Test mutating func `an end that listens says nothing before it knows who dialled`() {
    server.start()
    #expect(server.sent.isEmpty)
    client.start()
    #expect(client.sent.count == 1 && client.proven == nil)
  }

  @Test mutating func `a device that may not take part gets no answer`() {
    server.admissions = [:]
    run()
    #expect(server.closed?.code == .refused && server.isSilent)
    #expect(client.judged.isEmpty && client.proven == nil)
  }

  @Test mutating func `the end that dialled turns away a device that may not take part`() {
    client.admissions = [:]
    run()
    #expect(client.closed?.code == .refused && client.isSilent)
    #expect(client.proven == nil)
  }

  @Test mutating func `a claim goes with the proof, from either end`() {
    let claim = [UInt8](repeating: 5, count: 300)
    client = ProofEnd(.client, device: 1, exporter: Self.exporter, claim: claim)
    server = ProofEnd(.server, device: 2, exporter: Self.exporter, claim: claim + [1])
    server.admissions[client.key] = .claimed(claim)
    client.admissions[server.key] = .unjudged(until: .max)
    run()
    #expect(server.judged.first?.claim == claim)
    #expect(client.judged.first?.claim == claim + [1])
    #expect(server.proven?.admission == .claimed(claim))
    #expect(client.proven?.admission == .unjudged(until: .max))
  }

  @Test mutating func `a device that meets itself is told so at both ends`() {
    server = ProofEnd(.server, device: 1, exporter: Self.exporter)
    server.admissions[client.key] = .member
    run()
    for end in [client, server] {
      #expect(end.closed?.code == .invalidArgument)
      #expect(end.closed?.context.contains("itself") == true)
      #expect(end.proven == nil)
    }
    // The listening end's answer is what tells the other.
    #expect(!server.isSilent)
  }

  private func proof(
    _ device: UInt8, _ role: ProofRole, signing content: [UInt8]
  ) -> ProofMessage {
    let end = ProofEnd(role, device: device, exporter: Self.exporter)
    return ProofMessage(role: role, deviceKey: end.key, claim: nil, signature: end.sign(content))
  }

  private static let other = Bytes32([UInt8](repeating: 0xF, count: 32))

  /// What a device signs in place of what it should, to an end that listens.
  static let forgeries: [(String, [UInt8])] = [
    ("nothing", []),
    ("another channel", [0x63] + other.bytes + ProofEnd.key(of: 1).bytes),
    ("the other role", [0x73] + exporter.bytes + ProofEnd.key(of: 1).bytes),
    ("another device's key", [0x63] + exporter.bytes + ProofEnd.key(of: 3).bytes),
    ("both keys", [0x63] + exporter.bytes + ProofEnd.key(of: 1).bytes + ProofEnd.key(of: 2).bytes),
    ("no role", exporter.bytes + ProofEnd.key(of: 1).bytes),
  ]

  @Test(arguments: forgeries.indices)
  mutating func `a signature over anything else proves nothing to the end that listens`(index: Int) {
    let (what, content) = Self.forgeries[index]
    server.receive(proof(1, .client, signing: content))
    #expect(server.closed?.code == .damaged && server.isSilent, "\(what)")
    #expect(server.sent.isEmpty && server.judged.isEmpty && server.proven == nil)
  }

  @Test mutating func `what should have been signed is taken`() {
    // The forgeries above differ from this in one thing each.
    server.receive(proof(1, .client, signing: [0x63] + Self.exporter.bytes + ProofEnd.key(of: 1).bytes))
    #expect(server.proven?.key == client.key)
  }

  @Test(arguments: [
    [0x63] + exporter.bytes + ProofEnd.key(of: 2).bytes, [0x73] + exporter.bytes + ProofEnd.key(of: 2).bytes,
    [0x73] + other.bytes + ProofEnd.key(of: 1).bytes + ProofEnd.key(of: 2).bytes,
    [0x73] + exporter.bytes + ProofEnd.key(of: 3).bytes + ProofEnd.key(of: 2).bytes,
    [0x73] + exporter.bytes + ProofEnd.key(of: 2).bytes + ProofEnd.key(of: 1).bytes,
  ])
  mutating func `a signature over anything else proves nothing to the end that dialled`(content: [UInt8]) {
    client.start()
    client.receive(proof(2, .server, signing: content))
    #expect(client.closed?.code == .damaged && client.proven == nil && client.judged.isEmpty)
  }

  @Test mutating func `a proof that is sent back, or comes twice, ends it`() {
    client.start()
    let own = client.takeSent()[0]
    client.receive(own)
    #expect(client.closed != nil && client.proven == nil)
    server.receive(own)
    #expect(server.proven != nil)
    server.receive(own)
    #expect(server.closed != nil)
  }

  @Test mutating func `every altered bit of a proof is refused`() throws {
    client.start()
    let body = Array(try client.takeSent()[0].frame().dropFirst(FrameCutter.headerCount))
    for bit in 0..<body.count * 8 {
      var altered = body
      altered[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let message = try? ProofMessage(.client, decoding: altered) else { continue }
      var end = server
      end.receive(message)
      #expect(end.proven == nil && end.sent.isEmpty, "bit \(bit)")
    }
  }

  @Test mutating func `a public key that is no point proves nothing`() {
    var low = [UInt8](repeating: 0, count: 32)
    low[0] = 1
    server.admissions[Bytes32(low)] = .member
    // With the neutral element as key and R, the equation holds for every message when S is 0.
    server.receive(
      ProofMessage(
        role: .client, deviceKey: Bytes32(low), claim: nil, signature: Signature(low + [UInt8](repeating: 0, count: 32))
      ))
    #expect(server.closed?.code == .damaged && server.proven == nil)
  }

  /// M holds the space's key and stands between two members: two channels, two exporters.
  @Test mutating func `one in the middle can relay no proof`() {
    let toServer = Bytes32([UInt8](repeating: 0x5, count: 32))
    server = ProofEnd(.server, device: 2, exporter: toServer)
    server.admissions[client.key] = .member
    client.start()
    for message in client.takeSent() { server.receive(message) }
    #expect(server.closed?.code == .damaged && server.proven == nil && server.sent.isEmpty)
    // And no answer that M can get helps with the client: it is signed for M's channel, and for M's key.
    var middle = ProofEnd(.client, device: 3, exporter: toServer)
    server = ProofEnd(.server, device: 2, exporter: toServer)
    server.admissions[middle.key] = .member
    middle.start()
    for message in middle.takeSent() { server.receive(message) }
    for message in server.takeSent() { client.receive(message) }
    #expect(server.proven?.key == middle.key)
    #expect(client.closed?.code == .damaged && client.proven == nil)
  }
}
