import OfflineTree
import TestSupport
import Testing

@testable import Replicator

@Suite struct ProofMessageTests {
  private static let signature = Signature([UInt8](repeating: 4, count: 64))

  private static func message(_ role: ProofRole, claim: Int = 0) -> ProofMessage {
    ProofMessage(
      role: role, deviceKey: Bytes32([UInt8](repeating: 2, count: 32)),
      claim: claim == 0 ? nil : [UInt8](repeating: 3, count: claim), signature: signature)
  }

  @Test(arguments: [1, 2, 3, 7, 64, 10_000])
  func `a proof comes back from its frame however it is cut, and what is behind it is kept`(piece: Int) throws {
    for message in [Self.message(.client), Self.message(.server, claim: 1), Self.message(.server, claim: 1_024)] {
      let bytes = try message.frame() + [1, 2, 3, 4, 5]
      var decoder = ProofDecoder(expecting: message.role)
      var frames: [ProofDecoder.Frame] = []
      for start in stride(from: 0, to: bytes.count, by: piece) {
        if let frame = try decoder.received(bytes[start...].prefix(piece)) { frames.append(frame) }
      }
      #expect(frames == [.proof(message)])
      #expect(decoder.rest == [1, 2, 3, 4, 5])
    }
  }

  @Test func `a goodbye may come in place of a proof`() throws {
    var decoder = ProofDecoder(expecting: .server)
    let goodbye = Goodbye(.version, "update")
    #expect(try decoder.received(try Message.goodbye(goodbye).frame()[...]) == .goodbye(goodbye))
  }

  @Test func `a claim that is too long is neither sent nor read`() throws {
    #expect(throws: TreeError.self) { try Self.message(.client, claim: 1_025).frame() }
    var writer = ByteWriter()
    writer.u16(1)
    writer.append(Bytes32.zero)
    writer.prefixed([UInt8](repeating: 1, count: 1_025))
    writer.append(Self.signature.bytes)
    #expect(throws: TreeError.self) { try ProofMessage(.client, decoding: writer.bytes) }
  }

  @Test func `a length over the limit is refused before a byte of the body`() throws {
    for type in [ProofRole.client.rawValue, MessageKind.goodbye.rawValue, 1, 3, 0, 255, ProofRole.server.rawValue] {
      var decoder = ProofDecoder(expecting: .client)
      #expect(throws: TreeError.self, "type \(type)") { _ = try decoder.received([1, 8, 0, 0, type]) }
    }
    for type in [ProofRole.client.rawValue, MessageKind.goodbye.rawValue] {
      var decoder = ProofDecoder(expecting: .client)
      #expect(try decoder.received([0, 4, 0, 0, type]) == nil)
    }
  }

  @Test func `more behind a proof than a greeting is refused`() throws {
    let frame = try Self.message(.client).frame()
    for (count, isTaken) in [(ProtocolLimits.earlyBytes, true), (ProtocolLimits.earlyBytes + 1, false)] {
      var decoder = ProofDecoder(expecting: .client)
      _ = try decoder.received(frame[...])
      var taken = 0
      do throws(TreeError) {
        for _ in 0..<count {
          #expect(try decoder.received([0]) == nil)
          taken += 1
        }
      } catch {
        #expect(error.code == .damaged)
      }
      #expect((taken == count) == isTaken, "\(count)")
      #expect(decoder.rest.count <= ProtocolLimits.earlyBytes)
    }
  }

  @Test func `every proof that is cut off or goes on too long is refused`() throws {
    let body = Array(try Self.message(.server, claim: 9).frame().dropFirst(FrameCutter.headerCount))
    for count in body.indices {
      #expect(throws: TreeError.self, "\(count) bytes") { try ProofMessage(.server, decoding: Array(body[..<count])) }
    }
    #expect(throws: TreeError.self) { try ProofMessage(.server, decoding: body + [0]) }
  }

  @Test func `another version is told from garbage`() throws {
    var body = Array(try Self.message(.server).frame().dropFirst(FrameCutter.headerCount))
    body[0] = 2
    let error = #expect(throws: TreeError.self) { try ProofMessage(.server, decoding: body) }
    #expect(error?.code == .unsupportedVersion)
  }

  @Test func `random bytes neither trap nor are taken`() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<20_000 {
      var decoder = ProofDecoder(expecting: .client)
      let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if case .proof = try? decoder.received(bytes[...]) { Issue.record("\(bytes)") }
    }
  }
}
