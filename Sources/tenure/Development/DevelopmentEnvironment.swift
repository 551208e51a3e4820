import Foundation

/// What a script needs to call a development service: the file that `. .tenure/dev.env` reads.
struct DevelopmentEnvironment: Sendable, Equatable {
    /// Where the service listens, `http://127.0.0.1:8080`.
    var url: String
    /// The demo app.
    var appId: String
    /// Its secret with the roles ACCESS, CREATION and AUTHORIZATION.
    var appSecret: String
    /// Its salt.
    var appSalt: String
    /// The database as the service uses it.
    var databaseURL: String
    /// The database as projections read it.
    var readerDatabaseURL: String
    /// The database as migrations use it.
    var ownerDatabaseURL: String
    /// The file with the master keys.
    var masterKeyFile: String

    private static let fields: [(name: String, path: any WritableKeyPath<Self, String> & Sendable)] = [
        ("TENURE_URL", \.url), ("TENURE_APP_ID", \.appId), ("TENURE_APP_SECRET", \.appSecret),
        ("TENURE_APP_SALT", \.appSalt), ("TENURE_DATABASE_URL", \.databaseURL),
        ("TENURE_READER_DATABASE_URL", \.readerDatabaseURL), ("TENURE_OWNER_DATABASE_URL", \.ownerDatabaseURL),
        ("TENURE_MASTER_KEY_FILE", \.masterKeyFile),
    ]

    init(
        url: String, appId: String, appSecret: String, appSalt: String, databaseURL: String, readerDatabaseURL: String,
        ownerDatabaseURL: String, masterKeyFile: String
    ) {
        self.url = url
        self.appId = appId
        self.appSecret = appSecret
        self.appSalt = appSalt
        self.databaseURL = databaseURL
        self.readerDatabaseURL = readerDatabaseURL
        self.ownerDatabaseURL = ownerDatabaseURL
        self.masterKeyFile = masterKeyFile
    }

    /// The file's text: one exported variable per line.
    var text: String {
        "# Written by tenure. Secrets of a development service: do not commit, do not copy.\n"
            + Self.fields.map { "export \($0.name)=\(ShellWord.quote(self[keyPath: $0.path]))\n" }.joined()
    }

    /// Reads what ``text`` wrote; `nil` when a variable is missing or a line is not one of ours.
    init?(text: String) {
        var values: [Substring: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            guard line.hasPrefix("export "), let equals = line.firstIndex(of: "="),
                let value = ShellWord.unquote(line[line.index(after: equals)...])
            else { return nil }
            values[line[..<equals].dropFirst("export ".count)] = value
        }
        self.init(
            url: "", appId: "", appSecret: "", appSalt: "", databaseURL: "", readerDatabaseURL: "",
            ownerDatabaseURL: "", masterKeyFile: "")
        for (name, path) in Self.fields {
            guard let value = values[name[...]] else { return nil }
            self[keyPath: path] = value
        }
    }
}
