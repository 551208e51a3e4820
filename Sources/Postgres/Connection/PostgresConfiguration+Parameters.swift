extension PostgresConfiguration {
    /// The keywords and values libpq connects with. Throws `.usage` for NUL and for malformed setting names.
    func connectParameters() throws(PostgresError) -> [(keyword: String, value: String)] {
        var all = parameters
        all["application_name"] = applicationName
        all["client_encoding"] = "UTF8"
        all["gssencmode"] = all["gssencmode"] ?? "disable"
        all["sslmode"] = all["sslmode"] ?? (isLocal ? "prefer" : "verify-full")
        all["keepalives_idle"] = all["keepalives_idle"] ?? "30"
        all["tcp_user_timeout"] = all["tcp_user_timeout"] ?? "30000"
        // Our own clock limits connecting; libpq's is ignored by the non-blocking calls.
        all["connect_timeout"] = nil
        all["options"] = try options(after: all["options"])
        let ordered = all.sorted { $0.key < $1.key }
        for (keyword, value) in ordered where value.utf8.contains(0) {
            throw PostgresError(.usage, "the connection parameter \(keyword) holds NUL")
        }
        return ordered.map { (keyword: $0.key, value: $0.value) }
    }

    /// Whether no packet leaves this machine.
    private var isLocal: Bool {
        guard let hosts = parameters["host"] ?? parameters["hostaddr"], !hosts.isEmpty else { return true }
        return hosts.split(separator: ",").allSatisfy { host in
            host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "127.0.0.1", "::1"].contains(host)
        }
    }

    /// Settings travel as `-c name=value`, where white space and backslashes are escaped (manual §34.1.2, `options`).
    private func options(after given: String?) throws(PostgresError) -> String {
        var settings: [(String, String)] = [
            // Without it a server notices a lost client only when it has something to say.
            ("client_connection_check_interval", "1000"),
            ("statement_timeout", Self.milliseconds(statementTimeout)),
            ("lock_timeout", Self.milliseconds(lockTimeout)),
            ("idle_in_transaction_session_timeout", Self.milliseconds(idleInTransactionTimeout)),
            ("TimeZone", "UTC"),
        ]
        settings += sessionSettings.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        var options = given.map { [$0] } ?? []
        for (name, value) in settings {
            guard name.utf8.allSatisfy(Self.isNameByte), !name.isEmpty else {
                throw PostgresError(.usage, "the name of a session setting is malformed")
            }
            var escaped = ""
            for character in value.unicodeScalars {
                if character == "\\" || character.properties.isWhitespace { escaped += "\\" }
                escaped.unicodeScalars.append(character)
            }
            options.append("-c \(name)=\(escaped)")
        }
        return options.joined(separator: " ")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// 0 is "none" to the server, so a positive time shorter than a millisecond becomes one.
    private static func milliseconds(_ duration: Duration?) -> String {
        guard let duration, duration > .zero else { return "0" }
        return "\(Int64(min(max(duration / .milliseconds(1), 1), Double(Int32.max))))"
    }
}
