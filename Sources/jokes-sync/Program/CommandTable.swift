internal import OfflineTree

/// Every command, in the order in which somebody new would use them.
enum CommandTable {
  static let all: [Command] = [
    .initialize, .invite, .join, .signUp, .logIn, .logOut, .whoAmI, .post, .vote, .show, .list, .feed, .hide, .unhide,
    .retract, .remote, .sync, .run, .status, .history, .compact, .changePassword, .recover, .account, .users, .vouch,
    .resolve, .moderate, .rules, .member, .device, .rotate, .recoverOwner, .leave, .conflicts, .reissue, .verify,
    .repair, .doctor, .backup, .restore, .get, .set, .update, .push, .remove,
    .increment, .watch, .files, .importFile, .export, .scenario, .demo,
  ]

  /// - Throws: `invalidArgument` with a suggestion.
  static func find(_ name: String) throws(TreeError) -> Command {
    if let command = all.first(where: { $0.name == name }) { return command }
    throw Usage.unknownCommand(name, among: all.map(\.name))
  }
}
