import ArgumentParser
import Canonical
import Credentials
import Foundation
import HTTPAPI
import HTTPLimits
import IdentityService
import Keys

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The settings of one command, merged from flags, environment and file.
struct Settings: Sendable, Redacted {
    /// The values that are not empty, as the environment has them.
    private let texts: [Name: String]

    /// The settings by their names in the configuration file. The environment variable is the name in upper case with
    /// underscores, prefixed with `TENURE_`.
    enum Name: String, Sendable, CaseIterable {
        case databaseUrl, readerDatabaseUrl, ownerDatabaseUrl, masterKeyFile, masterKeys, issuer, listenHost,
            listenPort, publicUrl
        case tlsCertificateFile, tlsKeyFile, clearTextAllowed, trustedProxies, logLevel, logFormat, metricsToken,
            metricsListen
        case operatorKeyFile, anchorFile, sessionHours, grantDays, databaseConnections, drainSeconds, founding
        case recountHours, hashingPlaces, hashingPlacesKnown, hashingSeconds
        // The mail server.
        case smtpUrl, smtpUser, smtpPasswordFile, smtpCaFile, mailFrom
        // Whose pages and mails they are.
        case brandName, brandLogo, brandColour, brandContact, brandImprint, brandPrivacy
        // The limits of one caller.
        case addressRate, addressBurst, appRate, appBurst, companyRate, companyBurst, unknownAttemptRate,
            unknownAttemptBurst, connectionsPerAddress, waitingPages
        // The limits of all connections.
        case connections, stallSeconds, unsentKbPerConnection, unsentMbPerAddress, unsentMb
        // The D-TAs of M-Pin.
        case mpinDta1Url, mpinDta1KeyFile, mpinDta2Url, mpinDta2KeyFile, mpinDta2PublicUrl, mpinCaFile, mpinEpoch,
            mpinOldestEpoch, mpinClearTextAllowed
        // The settings of a client.
        case url, appId, appSecret, appSalt

        /// What a setting takes.
        enum Kind: String {
            case text = "Write a text."
            case number = "Write a whole number."
            case flag = "Write true or false."
            case list = "Write a list of texts, or one text with commas between."
        }

        /// What the setting takes. In the file all take a text, as in the environment.
        var kind: Kind {
            switch self {
            case .trustedProxies: .list
            case .clearTextAllowed, .mpinClearTextAllowed: .flag
            case .listenPort, .sessionHours, .grantDays, .databaseConnections, .drainSeconds, .recountHours,
                .addressRate, .addressBurst, .appRate, .appBurst, .companyRate, .companyBurst, .unknownAttemptRate,
                .unknownAttemptBurst, .connectionsPerAddress, .connections, .stallSeconds, .unsentKbPerConnection,
                .unsentMbPerAddress, .unsentMb, .mpinEpoch, .mpinOldestEpoch, .hashingPlaces, .hashingPlacesKnown,
                .hashingSeconds, .waitingPages:
                .number
            default: .text
            }
        }

        /// The name of the environment variable.
        var variable: String {
            rawValue.reduce(into: "TENURE_") { text, letter in
                if letter.isUppercase || letter.isNumber { text += "_" }
                text += letter.uppercased()
            }
        }
    }

    /// Merges the settings. Flags override the environment, which overrides the file.
    ///
    /// - Throws: ``CommandFailure`` if the file is missing or invalid, or has a setting that does not exist; for the
    ///   address of a service of Kubernetes, text that is not UTF-8, and white space around a text.
    init(flags: [Name: String], environment: [String: String], file: String?) async throws {
        var texts = try file.map(Self.texts(of:)) ?? [:]
        for name in Name.allCases {
            guard let text = environment[name.variable], !text.isEmpty else { continue }
            try UnknownSetting.refuseAddressOfService(text, in: name.variable)
            texts[name] = text
        }
        texts.merge(flags.filter { !$0.value.isEmpty }) { _, flag in flag }
        self.texts = texts.filter { !$0.value.isEmpty }
        for name in Name.allCases { try requirePlain(name) }
    }

    /// Refuses bytes that were not UTF-8, and a line end or a space that came along with a text.
    private func requirePlain(_ name: Name) throws {
        guard let text = text(name) else { return }
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw CommandFailure(.usage, "\(name.variable) has bytes that are not UTF-8", remedy: "Write it in UTF-8.")
        }
        // The JSON of master keys may end with a line, and a mailbox stands between spaces as well as without.
        guard name.kind == .text, name != .masterKeys, name != .mailFrom else { return }
        guard text.first?.isWhitespace != true, text.last?.isWhitespace != true else {
            throw CommandFailure(
                .usage, "\(name.variable) begins or ends with white space",
                remedy: "Remove it. A value that echo wrote into a file ends with a line; printf '%s' writes none.")
        }
    }

    /// The text of a setting, or `nil` if it is not set. An empty value counts as not set.
    func text(_ name: Name) -> String? { texts[name] }

    /// The text of a required setting. Throws if it is not set.
    func required(_ name: Name, remedy: String? = nil) throws -> String {
        if let text = text(name) { return text }
        throw CommandFailure(.usage, "\(name.variable) is not set", remedy: remedy)
    }

    /// An integer. Invalid numbers throw instead of being ignored.
    func number(_ name: Name, in range: ClosedRange<Int>, default fallback: Int) throws -> Int {
        guard let written = text(name) else { return fallback }
        guard let number = Int(written), range.contains(number) else {
            throw CommandFailure(
                .usage, "\(name.variable) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A flag; `false` if it is not set.
    func flag(_ name: Name) throws -> Bool {
        guard let written = text(name) else { return false }
        guard let flag = Bool(written.lowercased()) else {
            throw CommandFailure(.usage, "\(name.variable) must be true or false")
        }
        return flag
    }

    /// Who may found a tenant on the pages.
    func foundingRule(default fallback: FoundingRule = .off) throws -> FoundingRule {
        guard let text = text(.founding) else { return fallback }
        guard let rule = FoundingRule(rawValue: text.lowercased()) else {
            let words = FoundingRule.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "\(Name.founding.variable) must be one of \(words)")
        }
        return rule
    }

    /// A comma-separated list; empty if it is not set.
    func list(_ name: Name) -> [String] {
        (text(name) ?? "").split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    }

    /// Reads a file of settings: texts, and by the kind of a setting whole numbers, `true` and `false`, and lists.
    private static func texts(of file: String) throws -> [Name: String] {
        guard failureToRead(file) == nil, let data = FileManager.default.contents(atPath: file) else {
            let reason = failureToRead(file) ?? "it is no file"
            throw CommandFailure(
                .usage, "the settings file \(file) cannot be read: \(reason)",
                remedy: "Correct the path after --config.")
        }
        let json: JSONValue
        do throws(JSONError) { json = try StrictJSON.parse(data) } catch {
            let name = Name(rawValue: String(error.pointer.dropFirst().prefix { $0 != "/" }))
            if error.code == .notAnInteger || error.code == .integerOutOfRange, let name {
                throw wrongType(name, in: file)
            }
            throw CommandFailure(
                .usage, "\(file) cannot be read as a JSON object: \(error)", remedy: "See docs/configuration.md")
        }
        guard case .object(let members) = json else {
            throw CommandFailure(.usage, "\(file) is no JSON object", remedy: "See docs/configuration.md")
        }
        try UnknownSetting.refuse(Array(members.keys), in: file)
        var texts: [Name: String] = [:]
        for name in Name.allCases {
            texts[name] = try members[name.rawValue].map { try text(of: $0, name, in: file) }
        }
        return texts
    }

    private static func text(of value: JSONValue, _ name: Name, in file: String) throws -> String {
        switch (value, name.kind) {
        case (.string(let text), _): return text
        case (.integer(let number), .number): return String(number)
        case (.bool(let flag), .flag): return String(flag)
        case (.array(let elements), .list):
            return try elements.map { element in
                guard case .string(let text) = element else { throw wrongType(name, in: file) }
                return text
            }.joined(separator: ",")
        default: throw wrongType(name, in: file)
        }
    }

    private static func wrongType(_ name: Name, in file: String) -> CommandFailure {
        CommandFailure(.usage, "\(name.rawValue) in \(file) is of the wrong type", remedy: name.kind.rawValue)
    }
}

extension Settings {
    /// The master keys from a file or the environment. The file is read again after a rotation has added a version.
    func masterKeyStore(remedy: String? = nil) throws -> MasterKeyStore {
        if let text = text(.masterKeys) {
            guard self.text(.masterKeyFile) == nil else {
                throw CommandFailure(
                    .usage, "\(Name.masterKeyFile.variable) and \(Name.masterKeys.variable) are both set",
                    remedy: "Unset one: the two sources can contradict each other.")
            }
            return MasterKeyStore(try MasterKeys(environment: text))
        }
        let path = try required(.masterKeyFile, remedy: remedy)
        do throws(KeysError) { return try MasterKeyStore(file: MasterKeyFile(path: path)) } catch {
            guard error.code == .masterFileMissing else { throw error }
            throw CommandFailure(
                .failure, "there is no master key file at \(path)",
                remedy: "Restore it from your copy. A new installation makes it with: tenure key init")
        }
    }

    /// The master key file, for commands that change it. Throws if the keys come from the environment.
    func masterKeyFile() throws -> MasterKeyFile {
        guard text(.masterKeys) == nil else {
            throw CommandFailure(
                .usage, "the master keys come from \(Name.masterKeys.variable), which no command can change",
                remedy: """
                    Write its value into a file of mode 0600, set \(Name.masterKeyFile.variable) to it instead, unset \
                    \(Name.masterKeys.variable), and restart the service.
                    """)
        }
        return MasterKeyFile(path: try required(.masterKeyFile))
    }
}

extension Settings {
    /// The operator key file; `nil` if it is not configured.
    var operatorKeyFile: OperatorKeyFile? { text(.operatorKeyFile).map(OperatorKeyFile.init(path:)) }

    /// A signer with the key in the operator key file, which is read for each decision; `nil` if it is not configured.
    var operatorSigner: OperatorKeySource? { operatorKeyFile.map { file in OperatorKeySource { try file.load() } } }
}

/// The options of every command that reads settings.
struct SettingsOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON file with settings. Flags and environment override it.", valueName: "file"))
    var config: String?

    /// Loads the settings. Flags override them.
    ///
    /// It warns of variables that look like settings and are none.
    func settings(_ flags: [Settings.Name: String] = [:]) async throws -> Settings {
        let environment = ProcessInfo.processInfo.environment
        for warning in UnknownSetting.warnings(environment) { Output.standardError().line("Warning: \(warning)") }
        return try await Settings(flags: flags, environment: environment, file: config)
    }
}

extension Settings {
    /// Where the metrics are served; `nil` if they are off. Without the setting: on loopback, if the port is free.
    func metricsListener() throws -> MetricsListener? {
        let token = text(.metricsToken)
        guard let address = text(.metricsListen) else { return MetricsListener(token: token) }
        guard address != "off" else { return nil }
        let colon = address.lastIndex(of: ":")
        guard let colon, let port = Int(address[address.index(after: colon)...]), (0...65_535).contains(port),
            let host = Self.host(address[..<colon])
        else {
            throw CommandFailure(
                .usage, "\(Name.metricsListen.variable) is no address",
                remedy: "Write an address and a port, such as 127.0.0.1:9464 or [::1]:9464, or off.")
        }
        return MetricsListener(host: host, port: port, token: token, isOptional: false)
    }

    /// The host before a port. An IPv6 address has brackets, so that its end is known.
    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") { return String(text.dropFirst().dropLast()) }
        return text.isEmpty || text.contains(":") ? nil : String(text)
    }

    func networks(_ name: Name) throws -> TrustedNetworks { try Self.networks(list(name), of: name.variable) }

    /// Reads networks, and names the setting if one cannot be read.
    static func networks(_ texts: [String], of setting: String) throws -> TrustedNetworks {
        do throws(UnreadableNetwork) {
            return try TrustedNetworks(texts)
        } catch {
            throw CommandFailure(
                .usage, "\(setting) names no networks: \(error)",
                remedy: "Write addresses and networks with commas between, such as 192.0.2.7,10.0.0.0/8.")
        }
    }
}

extension Settings {
    /// The public origin of the service; `nil` if it is not set.
    ///
    /// - Throws: ``CommandFailure`` for a text that is no origin. A slash at the end is refused and not removed, because
    ///   access tokens name the origin byte by byte.
    func publicOrigin() throws -> String? {
        guard let text = text(.publicUrl) else { return nil }
        let variable = Name.publicUrl.variable
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme ?? ""),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.query == nil, parts.fragment == nil
        else {
            throw CommandFailure(
                .usage, "\(variable) is not the address of a service",
                remedy: "Write it as callers do, such as https://id.example, without a query or a user.")
        }
        guard text.last != "/" else {
            var corrected = text
            while corrected.last == "/" { corrected.removeLast() }
            throw CommandFailure(
                .usage, "\(variable) ends in a slash, and access tokens would name another issuer with it",
                remedy: "Write \(corrected)")
        }
        return text
    }

    /// The files that the service only reads.
    private static let readFiles: [Name] = [
        .tlsCertificateFile, .tlsKeyFile, .smtpPasswordFile, .smtpCaFile, .mpinDta1KeyFile, .mpinDta2KeyFile,
        .mpinCaFile, .brandLogo,
    ]

    /// The files that the service writes or replaces, so that their directory must exist.
    private static let writtenFiles: [Name] = [.anchorFile, .operatorKeyFile]

    /// Checks that this process can read the files that the settings name, and that the directories of those it writes
    /// exist.
    ///
    /// - Throws: ``CommandFailure`` that names the setting, the path and the reason.
    func requireFiles() throws {
        for name in Self.readFiles {
            guard let path = text(name), let reason = Self.failureToRead(path) else { continue }
            throw CommandFailure(
                .usage, "\(name.variable) names \(path), which cannot be read: \(reason)",
                remedy: reason == Self.notPermitted
                    ? "This process runs as user \(Self.user). Let that user read the file."
                    : "Correct the path, or restore the file.")
        }
        for name in Self.writtenFiles {
            guard let path = text(name) else { continue }
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue
            else {
                throw CommandFailure(
                    .usage, "\(name.variable) names \(path), and there is no directory \(directory)",
                    remedy: "Correct the path, or make the directory.")
            }
        }
    }

    private static let notPermitted = String(cString: strerror(EACCES))

    /// The reason why a file cannot be read; `nil` if it can.
    private static func failureToRead(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return String(cString: strerror(errno)) }
        return status.st_mode & S_IFMT == S_IFDIR ? String(cString: strerror(EISDIR)) : nil
    }

    /// The name of the user of this process, or the number.
    static var user: String { name(ofUser: geteuid()) }

    /// The name of a user, or the number if the system has no name for it.
    static func name(ofUser id: uid_t) -> String {
        guard let entry = getpwuid(id), let name = entry.pointee.pw_name else { return "\(id)" }
        return String(cString: name)
    }
}

extension CommandFailure {
    /// Converts the reason why a certificate cannot be used.
    static func certificate(_ failure: CertificateFailure) -> CommandFailure {
        CommandFailure(.usage, failure.reason, remedy: failure.remedy)
    }

    /// Converts the reason why a server cannot listen.
    ///
    /// - Parameters:
    ///   - setting: How the caller names another port, such as `TENURE_LISTEN_PORT`.
    static func listening(_ failure: ListenFailure, host: String, port: Int, setting: String) -> CommandFailure {
        switch failure {
        case .portTaken:
            CommandFailure(
                .unreachable, "another program listens on port \(port) of \(host)",
                remedy: "Find it with: ss -ltnp 'sport = :\(port)'   or set \(setting) to a free port.")
        case .portReserved:
            CommandFailure(
                .notPermitted, "user \(Settings.user) may not listen on port \(port)",
                remedy: "Set \(setting) to a port above 1023, and let a proxy listen on port \(port).")
        case .addressUnknown:
            CommandFailure(
                .usage, "this machine has no address \(host) to listen on",
                remedy: "ip address shows those that it has; 0.0.0.0 and :: are all of them.")
        }
    }
}
