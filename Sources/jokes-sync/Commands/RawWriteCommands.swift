internal import OfflineTree

extension Command {
  static let set = Command(
    name: "set", usage: "PATH JSON|- [--admin]", summary: "replace what is at a path", details: RawText.values,
    options: [.admin], operands: 2...2,
    example: "jokes-sync set settings/theme '\"dark\"'\njokes-sync set settings - < settings.json"
  ) { invocation in
    let target = try RawPath(invocation.operand(0) ?? "")
    let value = try invocation.json(1) { bytes throws(TreeError) in try NewValue(json: bytes) }
    try await invocation.write { try $0.set(value, at: target) }
  }

  static let update = Command(
    name: "update", usage: "PATH JSON|- [--admin]", summary: "replace some children, or paths below, in one change",
    details: "The names of the object are paths below PATH. \(RawText.values)", options: [.admin],
    operands: 2...2,
    example: "jokes-sync update settings '{\"theme\": \"dark\", \"editor/tabs\": 2, \"old\": null}'"
  ) { invocation in
    let path = try RawPath.node(invocation.operand(0) ?? "")
    var children: [(Path, NewValue)] = []
    var priorities: [(RawPath, NewValue)] = []
    for (name, value) in try invocation.json(1, NewValue.updates(json:)) {
      let target = try RawPath(name)
      if target.isPriority {
        priorities.append((try RawPath((path.description + "/" + name)), value))
      } else {
        children.append((target.path, value))
      }
    }
    try await invocation.write { [children, priorities] transaction in
      if !children.isEmpty { try transaction.updateChildren(children, at: path) }
      for (target, value) in priorities { try transaction.set(value, at: target) }
    }
  }

  static let push = Command(
    name: "push", usage: "PATH JSON|- [--admin]", summary: "add a child under a new key, and print the key",
    details: RawText.values, options: [.admin], operands: 2...2,
    example: "jokes-sync push log '{\"at\": {\".sv\": \"timestamp\"}}'"
  ) { invocation in
    let path = try RawPath.node(invocation.operand(0) ?? "")
    let value = try invocation.json(1) { bytes throws(TreeError) in try NewValue(json: bytes) }
    try invocation.console.print(try await invocation.write { try $0.push(value, to: path) }.text)
  }

  static let remove = Command(
    name: "remove", usage: "PATH [--admin]", summary: "remove what is at a path and below", options: [.admin],
    operands: 1...1, example: "jokes-sync remove settings/old"
  ) { invocation in
    let target = try RawPath(invocation.operand(0) ?? "")
    try await invocation.write { transaction in
      if target.isPriority {
        try transaction.setPriority(nil, at: target.path)
      } else {
        try transaction.removeValue(at: target.path)
      }
    }
  }

  static let increment = Command(
    name: "increment", usage: "PATH [NUMBER] [--admin]", summary: "add to a number (1 unless told otherwise)",
    details: "Increments made at the same time on several devices all count.", options: [.admin], operands: 1...2,
    example: "jokes-sync increment visits\njokes-sync increment balance -2.5"
  ) { invocation in
    let path = try RawPath.node(invocation.operand(0) ?? "")
    let value =
      invocation.operand(1) == nil
      ? Value.int(1) : try invocation.json(1) { bytes throws(TreeError) in try Value(json: bytes) }
    guard let number = value.scalar, number.isNumber else {
      throw invocation.usage("\"\(invocation.operand(1) ?? "")\" is not a number")
    }
    try await invocation.write { try $0.increment(path, by: number) }
  }
}

private enum RawText {
  static let values = """
    The value is JSON; - is standard input, null removes. {".sv": "timestamp"} is the time, {".sv": {"increment": n}} adds;
    ".priority" and ".value" work as in Firebase. Who is logged in writes, and the rules judge it. Where nobody is, an owner's device
    acts as administration, and others as nobody.
    """
}
