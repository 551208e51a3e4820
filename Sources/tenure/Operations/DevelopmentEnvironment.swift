import Foundation

/// The variables that a script needs to call a development service: the file that `. .tenure/dev.env` sources.
struct DevelopmentEnvironment: Sendable, Equatable {
    /// The address of the service, such as `http://127.0.0.1:8080`.
    var url: String
    /// The id of the demo app.
    var appId: String
    /// The app's secret, with the roles ACCESS, CREATION and AUTHORIZATION.
    var appSecret: String
    /// The app's salt.
    var appSalt: String
    /// The database URL with the application role.
    var databaseURL: String
    /// The database URL with the reader role.
    var readerDatabaseURL: String
    /// The database URL with the owner role, for migrations.
    var ownerDatabaseURL: String
    /// The master key file.
    var masterKeyFile: String
    /// The operator key file.
    var operatorKeyFile: String

    private static let fields: [(name: String, path: any WritableKeyPath<Self, String> & Sendable)] = [
        ("TENURE_URL", \.url), ("TENURE_APP_ID", \.appId), ("TENURE_APP_SECRET", \.appSecret),
        ("TENURE_APP_SALT", \.appSalt), ("TENURE_DATABASE_URL", \.databaseURL),
        ("TENURE_READER_DATABASE_URL", \.readerDatabaseURL), ("TENURE_OWNER_DATABASE_URL", \.ownerDatabaseURL),
        ("TENURE_MASTER_KEY_FILE", \.masterKeyFile),
        ("TENURE_OPERATOR_KEY_FILE", \.operatorKeyFile),
    ]

    init(
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
    var text: String {
        "# Written by tenure. Secrets of a development service: do not commit, do not copy.\n"
            + Self.fields.map { "export \($0.name)=\(ShellWord.quote(self[keyPath: $0.path]))\n" }.joined()
    }

    /// Parses a value of ``text``; `nil` if a variable is missing or a line is malformed.
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
            ownerDatabaseURL: "", masterKeyFile: "", operatorKeyFile: "")
        for (name, path) in Self.fields {
            guard let value = values[name[...]] else { return nil }
            self[keyPath: path] = value
        }
    }
}

/// Quotes text as one word of a POSIX shell.
enum ShellWord {
    /// Puts the text in single quotes.
    static func quote(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Returns the text unchanged if the shell does not interpret it, and in quotes otherwise.
    static func quoteIfNeeded(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "/._-".utf8.contains(byte)
        }
        return plain && !text.isEmpty ? text : quote(text)
    }

    /// Reverses ``quote(_:)``; `nil` if the word has another form.
    static func unquote(_ word: some StringProtocol) -> String? {
        let escaped = "'\\''"
        guard word.count >= 2, word.first == "'", word.last == "'" else { return nil }
        let parts = String(word.dropFirst().dropLast()).split(separator: escaped, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.contains("'") }) else { return nil }
        return parts.joined(separator: "'")
    }
}

/// The banner that is printed once the service is ready.
struct Banner: Sendable {
    /// One aligned line.
    struct Line: Sendable, Equatable {
        var label: String
        var value: String
        var note: String = ""
    }

    var version: String
    /// The time from the start of the process to readiness.
    var readyAfter: Duration
    var lines: [Line]
    /// A command to copy and run.
    var firstCall: String?
    /// The last line, emphasized.
    var warning: String?

    /// Renders the banner in the style of the terminal.
    func rendered(on terminal: Terminal) -> String {
        let name = Style.strong.apply("Tenure \(version)", on: terminal)
        var text = "\n\(name)   ready in \(ProgressText.time(readyAfter))\n\n"
        let labels = lines.map(\.label.count).max() ?? 0
        let values = lines.filter { !$0.note.isEmpty }.map { DisplayWidth.of($0.value) }.max() ?? 0
        for line in lines {
            text += "  " + line.label + String(repeating: " ", count: labels - line.label.count + 3) + line.value
            if !line.note.isEmpty {
                let padding = String(repeating: " ", count: max(0, values - DisplayWidth.of(line.value)) + 3)
                text += padding + Style.quiet.apply(line.note, on: terminal)
            }
            text += "\n"
        }
        if let firstCall { text += "\nTry\n  \(firstCall)\n" }
        if let warning { text += "\n" + Style.caution.apply(warning, on: terminal) + "\n" }
        return text + "\n"
    }
}
