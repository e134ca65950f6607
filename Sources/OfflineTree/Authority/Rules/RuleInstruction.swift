/// One step of a compiled expression. It takes its operands from a stack and puts its result there.
///
/// A step that finds operands of a wrong type ends the expression, which is then false.
struct RuleInstruction: Sendable {
  enum Code: UInt8, Sendable {
    case null, yes, no
    /// Number, text `first` of the constants; `$variable` of the level `first`.
    case number, text, variable
    case auth, uid, provider, email, name, emailVerified
    case now, newData
    /// `child` of the path `first`, or of the text on the stack if `first` is -1.
    case child
    case parent, val, exists, isString, isNumber, isBoolean, hasChildren
    /// Of `hasChildren([…])`: leaves the snapshot where it is if it has the child, else puts `false` in its place and
    /// goes to `second`.
    case requireChild
    /// Puts `true` in the place of a snapshot.
    case allChildren
    case length, contains, beginsWith, endsWith, lower, upper, replace
    /// With the pattern `first`.
    case matches
    case add, subtract, multiply, divide, remainder, negate, not
    case equal, unequal, less, lessOrEqual, greater, greaterOrEqual
    /// Of `&&` and `||`: go to `second` with the operand as result if it is false, or true; else drop it.
    case orElseFalse, orElseTrue
    /// Ends the expression unless the operand is a boolean.
    case boolean
    /// Of `? :`: takes the operand, and goes to `second` if it is false.
    case branch
    case jump
    case end
  }

  let code: Code
  var first: Int32 = 0
  /// Where a jump leads.
  var second: Int32 = 0
}
