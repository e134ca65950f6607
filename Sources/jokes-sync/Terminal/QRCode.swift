internal import CQREncode
internal import OfflineTree

/// A text as a square that a telephone's camera reads.
struct QRCode {
  /// Modules on one side, without the light frame.
  private let width: Int
  /// Row by row; true is dark.
  private let modules: [Bool]
  /// Light modules around it: readers want four.
  private static let frame = 4

  /// - Throws: `limitExceeded` for more text than any code holds.
  init(_ text: String) throws(TreeError) {
    let bytes = Array(text.utf8)
    guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L) else {
      throw TreeError(.limitExceeded, "\(bytes.count) bytes do not fit a QR code")
    }
    defer { unsafe QRcode_free(code) }
    let width = unsafe Int(code.pointee.width)
    self.width = width
    modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
  }

  var columns: Int { width + 2 * QRCode.frame }

  /// Lines of half blocks, two rows of modules each.
  ///
  /// - Parameter colored: With colours of its own, black on white, so that the terminal's do not matter; without, it
  ///   relies on light text on a dark ground.
  func lines(colored: Bool) -> [String] {
    stride(from: -QRCode.frame, to: width + QRCode.frame, by: 2).map { row in
      var line = colored ? "\u{1B}[38;5;16;48;5;231m" : ""
      for column in -QRCode.frame..<(width + QRCode.frame) {
        let isInked = (isDark(row, column) == colored, isDark(row + 1, column) == colored)
        line += isInked.0 ? (isInked.1 ? "█" : "▀") : (isInked.1 ? "▄" : " ")
      }
      return line + (colored ? "\u{1B}[0m" : "")
    }
  }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
  }
}
