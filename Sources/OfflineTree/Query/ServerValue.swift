/// Values that are worked out when they are written. Put them wherever a value can stand.
public enum ServerValue {
  /// The wall time of the change, in milliseconds since 1970.
  public static func timestamp() -> [String: Any] { [".sv": "timestamp"] }

  /// Adds to the number that is there: none is ever lost or counted twice, whoever adds meanwhile.
  public static func increment(_ delta: Int) -> [String: Any] { [".sv": ["increment": delta]] }

  /// The same for a number with a fraction.
  public static func increment(_ delta: Double) -> [String: Any] { [".sv": ["increment": delta]] }
}
