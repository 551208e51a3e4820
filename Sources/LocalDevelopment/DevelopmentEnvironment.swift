import Text

/// The variables that a script needs to call a development service: the file that `. .tenure/dev.env` sources.
package struct DevelopmentEnvironment: Sendable, Equatable {
    /// The address of the service, such as `http://127.0.0.1:8080`.
    package var url: String
    package var appId: String
    /// The app's secret, with the roles ACCESS, CREATION and AUTHORIZATION.
    package var appSecret: String
    package var appSalt: String
    /// The database URL with the application role.
    package var databaseURL: String
    package var readerDatabaseURL: String
    /// The database URL with the owner role, for migrations.
    package var ownerDatabaseURL: String
    package var masterKeyFile: String
    package var operatorKeyFile: String

    private static let fields: [(name: String, path: any WritableKeyPath<Self, String> & Sendable)] = [
        ("TENURE_URL", \.url), ("TENURE_APP_ID", \.appId), ("TENURE_APP_SECRET", \.appSecret),
        ("TENURE_APP_SALT", \.appSalt), ("TENURE_DATABASE_URL", \.databaseURL),
        ("TENURE_READER_DATABASE_URL", \.readerDatabaseURL), ("TENURE_OWNER_DATABASE_URL", \.ownerDatabaseURL),
        ("TENURE_MASTER_KEY_FILE", \.masterKeyFile),
        ("TENURE_OPERATOR_KEY_FILE", \.operatorKeyFile),
    ]

    package init(
        url: String, appId: String, appSecret: String, appSalt: String, databaseURL: String, readerDatabaseURL: String,
        ownerDatabaseURL: String, masterKeyFile: String, operatorKeyFile: String
    ) {
        self.url = url
        self.appId = appId
        self.appSecret = appSecret
        self.appSalt = appSalt
        self.databaseURL = databaseURL
        self.readerDatabaseURL = readerDatabaseURL
        self.ownerDatabaseURL = ownerDatabaseURL
        self.masterKeyFile = masterKeyFile
        self.operatorKeyFile = operatorKeyFile
    }

    /// The text of the file: one exported variable per line.
    package var text: String {
        "# Written by tenure. Secrets of a development service: do not commit, do not copy.\n"
            + Self.fields.map { "export \($0.name)=\(ShellWord.quote(self[keyPath: $0.path]))\n" }.joined()
    }

    /// Parses a value of ``text``; `nil` if a variable is missing or a line is malformed.
    package init?(text: String) {
        var values: [Substring: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            guard line.hasPrefix("export "), let equals = line.firstIndex(of: "="),
                let value = ShellWord.unquote(line[line.index(after: equals)...])
            else { return nil }
            values[line[..<equals].dropFirst("export ".count)] = value
        }
        self.init(
            url: "", appId: "", appSecret: "", appSalt: "", databaseURL: "", readerDatabaseURL: "",
            ownerDatabaseURL: "", masterKeyFile: "", operatorKeyFile: "")
        for (name, path) in Self.fields {
            guard let value = values[name[...]] else { return nil }
            self[keyPath: path] = value
        }
    }
}
