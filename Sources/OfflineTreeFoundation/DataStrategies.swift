public import OfflineTree

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How bytes stand in the tree.
public enum DataStrategy: Sendable {
  /// An array of numbers, as `Data` itself is coded.
  case deferredToData
  /// A text in base64.
  case base64
  case custom(encode: @Sendable (Data, any Encoder) throws -> Void, decode: @Sendable (any Decoder) throws -> Data)
}

extension TreeEncoder {
  /// How bytes are written.
  public mutating func setDataStrategy(_ strategy: DataStrategy) {
    switch strategy {
    case .deferredToData: setStrategy(for: Data.self, nil)
    case .base64: setStrategy(for: Data.self) { try $0.base64EncodedString().encode(to: $1) }
    case .custom(let encode, _): setStrategy(for: Data.self, encode)
    }
  }
}

extension TreeDecoder {
  /// How bytes are read: the encoder's way.
  public mutating func setDataStrategy(_ strategy: DataStrategy) {
    switch strategy {
    case .deferredToData: setStrategy(for: Data.self, nil)
    case .base64: setStrategy(for: Data.self, DataStrategy.base64)
    case .custom(_, let decode): setStrategy(for: Data.self, decode)
    }
  }
}

extension DataStrategy {
  fileprivate static func base64(_ decoder: any Decoder) throws -> Data {
    let text = try String(from: decoder)
    if let data = Data(base64Encoded: text) { return data }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a text is no base64"))
  }
}

/// Bytes are base64 in what `setValue` takes.
extension Data: TreeValueConvertible {
  public func newValue() -> NewValue { NewValue(Scalar.string(base64EncodedString())) }
}

/// A URL is its text in what `setValue` takes.
extension URL: TreeValueConvertible {
  public func newValue() -> NewValue { NewValue(Scalar.string(absoluteString)) }
}
