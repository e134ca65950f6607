public import OfflineTree

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension TreeEncoder {
  /// An encoder as Firebase's is: bytes in base64, URLs as texts, and dates as the strategy says.
  public static func foundation(dates: DateStrategy = .deferredToDate) -> TreeEncoder {
    var encoder = TreeEncoder()
    encoder.setDateStrategy(dates)
    encoder.setDataStrategy(.base64)
    encoder.setStrategy(for: URL.self) { try $0.absoluteString.encode(to: $1) }
    return encoder
  }
}

extension TreeDecoder {
  /// The other half of `TreeEncoder.foundation(dates:)`.
  public static func foundation(dates: DateStrategy = .deferredToDate) -> TreeDecoder {
    var decoder = TreeDecoder()
    decoder.setDateStrategy(dates)
    decoder.setDataStrategy(.base64)
    decoder.setStrategy(for: URL.self) { decoder in
      let text = try String(from: decoder)
      if let url = URL(string: text) { return url }
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "\"\(text)\" is no URL"))
    }
    return decoder
  }
}
