import OfflineTree

extension SessionWorker {
  func findChunks(_ limit: Int, _ absent: Set<Bytes32>, isAlone: Bool) throws(TreeError) -> SessionAnswer {
    let (ids, isMore) = try database.wantedChunks(
      limit: limit, without: absent, asker: ObjectIdentifier(self), isAlone: isAlone)
    askedChunks = ids
    return .foundChunks(ids, isMore: isMore)
  }

  func readChunk(_ id: Bytes32) throws(TreeError) -> SessionAnswer {
    let form = try database.chunkForm(id)
    // As in a pull.
    try requireAdmission()
    return .chunk(ChunkAnswer(id, form))
  }

  func keepChunks(_ answers: [ChunkAnswer]) throws(TreeError) -> SessionAnswer {
    let chunks = answers.compactMap { answer in answer.form.map { (id: answer.id, form: $0) } }
    let refused = try database.keep(chunks: chunks)
    database.releaseChunks(answers.map(\.id), asker: ObjectIdentifier(self))
    return .keptChunks(
      chunks.count - refused.count, refused: Dictionary(refused.map { ($0.id, $0.error) }) { first, _ in first })
  }
}
