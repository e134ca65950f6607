internal import OfflineTree

extension Joke {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("id")
    writer.string(id.text)
    writer.key("jokeText")
    writer.string(text)
    writer.key("author")
    writer.string(author)
    writer.key("votes")
    writer.scalar(votes)
    writer.key("voted")
    writer.bool(voted)
    writer.key("createdAt")
    if let createdAt { writer.int(createdAt) } else { writer.null() }
    writer.key("removed")
    if let removal { Joke.write(removal, to: &writer) } else { writer.null() }
    writer.key("hidden")
    writer.bool(isHidden)
    writer.endObject()
  }

  private static func write(_ removal: Removal, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("by")
    switch removal {
    case .retracted(let time):
      writer.string("author")
      writer.key("at")
      writer.int(time)
    case .moderated(let device, let time):
      writer.string("owner")
      writer.key("device")
      writer.string(device)
      writer.key("at")
      writer.int(time)
    }
    writer.endObject()
  }
}
