extension JokesSpace {
  /// Who may write what in a new space of jokes, until an owner sets other rules: the text of
  /// `fixtures/rules/jokes.rules`.
  static let rules = """
    {
      "rules": {
        // Who is signed in may read everything.
        ".read": "auth != null",
        // Without these, .write would be asked in their place.
        ".vote": false,
        ".increment": false,
        "jokes": {
          "$joke": {
            // The set is add-only: who may write here can add a joke, and neither change nor remove one.
            ".write": "auth != null && newData.exists()",
            ".validate": "newData.hasChildren(['author', 'jokeText', 'votes'])",
            "author": {".validate": "newData.val() == auth.token.name"},
            "jokeText": {
              ".validate": "newData.isString() && newData.val().length >= 1 && newData.val().length <= 10000"
            },
            "votes": {
              // A joke begins without votes; a part of the count is its voter's.
              ".validate": "newData.val() === 0",
              ".vote": "auth != null"
            },
            "$other": {".validate": false}
          }
        },
        "users": {
          "$uid": {
            ".write": "auth.uid == $uid",
            ".validate": "newData.hasChildren()",
            "provider": {".validate": "newData.val() == 'password'"},
            "email": {".validate": "newData.isString()"},
            "username": {".validate": "newData.val() == auth.token.name"},
            "profileImageName": {".validate": "newData.isString()"},
            "createdAt": {".validate": "newData.isNumber()"},
            // "votes" is what the votes show, and is never written.
            "$other": {".validate": false}
          }
        },
        // Stored files: who is signed in may store, replace and remove any.
        "@files": {".write": "auth != null"}
      }
    }

    """
}
