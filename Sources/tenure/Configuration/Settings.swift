import Configuration

/// The settings of one command, wherever they came from.
struct Settings: Sendable {
    private let reader: ConfigReader

    /// What can be set, by its name in the configuration file; in the environment the same name is upper case with
    /// underscores after `TENURE_`.
    enum Name: String, Sendable, CaseIterable {
        case databaseUrl, readerDatabaseUrl, ownerDatabaseUrl, masterKeyFile, masterKeys, issuer, listenHost,
            listenPort, publicUrl
        case tlsCertificateFile, tlsKeyFile, clearTextAllowed, trustedProxies, logLevel, metricsToken
        case anchorFile, sessionHours, databaseConnections
        // What a client needs to know of a service.
        case url, appId, appSecret, appSalt

        /// Whether the value is kept out of anything that is printed. A database's URL may carry a password.
        var isSecret: Bool {
            switch self {
            case .databaseUrl, .readerDatabaseUrl, .ownerDatabaseUrl, .masterKeys, .metricsToken, .appSecret: true
            default: false
            }
        }

        /// The name in the environment.
        var variable: String {
            rawValue.reduce(into: "TENURE_") { text, letter in
                if letter.isUppercase { text += "_" }
                text += letter.uppercased()
            }
        }
    }

    /// Flags win over the environment, which wins over the file.
    ///
    /// - Throws: ``CommandFailure`` when the file is missing or not what it should be.
    init(flags: [Name: String], environment: [String: String], file: String?) async throws {
        let given = flags.map { name, value in
            (AbsoluteConfigKey([name.rawValue]), ConfigValue(.string(value), isSecret: name.isSecret))
        }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: given)),
            EnvironmentVariablesProvider(
                environmentVariables: environment,
                secretsSpecifier: .specific(Set(Name.allCases.filter(\.isSecret).map(\.variable)))
            ).prefixKeys(with: "tenure"),
        ]
        if let file { providers.append(try await Self.provider(of: file)) }
        reader = ConfigReader(providers: providers)
    }

    /// The text of a setting, or `nil` when nobody set it. Set to nothing is not set.
    func text(_ name: Name) -> String? {
        let text = reader.string(forKey: ConfigKey([name.rawValue]), isSecret: name.isSecret)
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The text of a setting that has to be there.
    func required(_ name: Name, remedy: String? = nil) throws -> String {
        if let text = text(name) { return text }
        throw CommandFailure(.usage, "\(name.variable) is not set", remedy: remedy)
    }

    /// A whole number; what is none is refused, not passed over.
    func number(_ name: Name, in range: ClosedRange<Int>, default fallback: Int) throws -> Int {
        let key = ConfigKey([name.rawValue])
        // A file holds a number, the environment and a flag hold its digits.
        guard let written = text(name) ?? reader.int(forKey: key).map({ String($0) }) else { return fallback }
        guard let number = Int(written), range.contains(number) else {
            throw CommandFailure(
                .usage, "\(name.variable) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Yes or no; `false` when nobody set it.
    func flag(_ name: Name) throws -> Bool {
        guard let written = text(name) ?? reader.bool(forKey: ConfigKey([name.rawValue])).map({ String($0) }) else {
            return false
        }
        guard let flag = Bool(written.lowercased()) else {
            throw CommandFailure(.usage, "\(name.variable) must be true or false")
        }
        return flag
    }

    /// A list whose items are apart by commas; empty when nobody set it.
    func list(_ name: Name) -> [String] {
        (text(name) ?? "").split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    }

    private static func provider(of file: String) async throws -> any ConfigProvider {
        let place = ConfigReader(
            provider: InMemoryProvider(values: ["filePath": ConfigValue(.string(file), isSecret: false)]))
        do {
            return try await FileProvider<JSONSnapshot>(config: place)
        } catch {
            throw CommandFailure(.usage, "\(file) cannot be read as a JSON object", remedy: "See docs/configuration.md")
        }
    }
}
