/// Every limit of the data model, the formats and the protocol, in one place.
public enum Limits {
  /// UTF-8 bytes of a path, one separator counted for each key.
  public static let pathBytes = 768
  /// Keys in a path.
  public static let pathLevels = 32
  /// UTF-8 bytes of one string value: 10 MiB.
  public static let stringBytes = 10_485_760
  /// Bytes of one change in canonical form: 16 MiB.
  public static let changeBytes = 16 << 20
  /// Operations in one change.
  public static let changeOperations = 262_144
  /// Control operations in one change.
  public static let changeControls = 4_096
  /// Operations on the tree in a change that has control operations as well: those are kept in memory.
  public static let operationsBesideControls = 256
  /// Bytes of those operations' bodies.
  public static let operationBytesBesideControls = 65_536
  /// Accounts that one device makes, beyond those for which an owner has vouched.
  public static let accountsPerDevice = 8
  /// Keys in one lockbox.
  public static let lockboxKeys = 4_096
  /// Epochs that one rotation follows.
  public static let epochParents = 64
  /// Changes in one log.
  public static let changesPerLog: UInt64 = 1 << 62
  /// Parents of one change.
  public static let changeParents = 1_024
  /// How far a stamp may be above every stamp in its context, in milliseconds.
  public static let stampLead: UInt64 = 1 << 32
  /// Above every stamp that a genesis may carry, in milliseconds.
  public static let genesisStamp: UInt64 = 1 << 48
  /// Opened bytes of one segment: 32 MiB.
  public static let segmentBytes = 32 << 20
  /// Changes in one segment: each takes memory of its own beside its bytes.
  public static let segmentChanges = 1 << 20
  /// Bytes of changes of one log that wait for what they depend on: 64 MiB.
  public static let waitingBytesPerLog = 64 << 20
  /// Bytes of all changes that wait: 256 MiB.
  public static let waitingBytes = 256 << 20
  /// UTF-8 bytes of a device's or a space's name.
  public static let nameBytes = 128
  /// Add-only paths, and flags, that a genesis may declare.
  public static let declarations = 64
  /// Logs of one device beyond which a further one waits until another device's change has it in its past.
  public static let logsPerDevice = 64
  /// Logs that a device has begun beyond which it leaves none on the mere word of others.
  public static let logsLeftUnproven = 16
  /// Branches of one device's logs beyond which a further one waits in the same way.
  public static let branchesPerDevice = 256
  /// Logs of devices that nobody invited beyond which a further one waits until a member's change has it in its past.
  public static let strangersLogs = 64
  /// Devices that one invite brings beyond which a further one waits until the change of a device that has not come by
  /// that invite alone has it in its past.
  public static let devicesPerInvite = 1_024
  /// Devices and invites that are not known yet and that waiting introductions name, of which is kept what they wait for.
  package static let unknownWitnesses = 4_096
  /// Logs and branches of a space that are delivered at all: every clock that is sent names each of them.
  public static let logsPerSpace = 16_384
  /// Addresses in an invite, and UTF-8 bytes of one.
  public static let inviteAddresses = 8
  public static let inviteAddressBytes = 256
  /// Bytes of text in which an invite is looked for: the longest line, with room for line breaks.
  public static let inviteLineBytes = 8_192
  /// UTF-8 bytes of a rules document.
  public static let rulesBytes = 65_536
  /// Levels of paths in a rules document: those of a path.
  public static let rulesDepth = pathLevels
  /// Parentheses, operators and groups inside each other, in an expression or a pattern of the rules.
  public static let ruleNesting = 64
  /// Steps of a pattern in a rules document, repeats written out.
  public static let patternSteps = 1_024
  /// Steps of all patterns in a rules document.
  public static let patternStepsOfRules = 16_384
  /// What a repeat of a pattern may count to.
  public static let patternRepeats = 1_000
  /// What judging a change may cost, in steps of about a nanosecond, whatever its size.
  public static let ruleSteps = 1_048_576
  /// What judging a change may cost beyond that, for each byte of its operations' paths and strings.
  public static let ruleStepsPerByte = 64
  /// Changes of one log that are dropped and fetched together, unless a home says otherwise; none has larger blocks.
  package static let historyBlock: UInt64 = 1_024
  /// Bytes of such a block beyond which it is not dropped: whoever fetches it gets it in one piece.
  package static let historyBlockBytes = segmentBytes
  /// Days of history that a device can be told to keep.
  public static let historyDays = 36_500
  /// Bytes of one chunk of a stored file; only the last one of a file has fewer.
  public static let chunkBytes = 512 << 10
  /// Chunks of one stored file: what one manifest lists.
  public static let chunksPerFile = 32_768
  /// Bytes of one stored file: 16 GiB.
  public static let fileBytes = UInt64(chunkBytes * chunksPerFile)
  /// Bytes of one chunk or manifest, opened.
  package static let openedChunkBytes = max(chunkBytes, 32 * chunksPerFile + 64)
  /// ASCII characters of a stored file's content type.
  public static let fileTypeBytes = 127
}
