import ArgumentParser
import Canonical
import ErrorCodes
import Foundation
import TenureAPI
import TenureClient
import Text

/// Registers a PIN on this device and authenticates with it.
struct ClientPin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Register a PIN on this device and authenticate with it (M-Pin).",
        discussion: """
            A user id, such as an e-mail address, and this device get a token; the PIN opens it. No server stores the \
            PIN. Each command prints the state, the status, and what to run next. PINs are read from the terminal \
            only, without echo.

            Examples:
              tenure client pin register harbour.example anna@harbour.example
              tenure client pin login harbour.example anna@harbour.example
            """,
        subcommands: [
            ClientPinRegister.self, ClientPinRestart.self, ClientPinLink.self, ClientPinConfirm.self,
            ClientPinFinish.self, ClientPinLogin.self, ClientPinList.self, ClientPinDelete.self,
        ])
}

/// The arguments of the commands about one user of M-Pin.
struct ClientPinUser: ParsableArguments {
    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: ArgumentHelp("The user id: an e-mail address or another name.", valueName: "userid"))
    var user: String

    @OptionGroup var options: ClientOptions

    /// Runs a call about the user that this device has stored, and reports it.
    ///
    /// - Parameters:
    ///   - isProof: Whether the call proves the PIN.
    ///   - call: Returns the status, and more members of the JSON object.
    /// - Throws: ``CommandFailure`` for any status but `OK`.
    func run(
        isProof: Bool = false,
        _ call: @Sendable @escaping (TenureClient, MPinClient, MPinUser) async throws -> (MPinStatus, [String: String])
    ) async throws {
        let client = try await options.client()
        let mpin = options.mpin(client)
        let (company, id) = (company, user)
        let (user, status, more) = try await Interruption.stopping {
            try CommandFailure.check(await mpin.setBackend(companyName: company))
            let user = try await Self.stored(id, of: company, in: mpin, at: client)
            let (status, more) = try await call(client, mpin, user)
            return (user, status, more)
        }
        try ClientPinReport(company: company, user: user, status: status, more: more, isProof: isProof)
            .write(options)
    }

    /// Returns the user that this device has stored. Sends nothing.
    static func stored(
        _ id: String, of company: String, in mpin: MPinClient, at client: TenureClient
    ) async throws -> MPinUser {
        let (status, users) = await mpin.listUsers(of: MPinClient.address(of: company, at: client.baseURL))
        try CommandFailure.check(status)
        // Compare bytes: strings that only look alike are different names.
        guard let user = users.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            let words = "\(ShellWord.quoteIfNeeded(company)) \(ShellWord.quoteIfNeeded(id))"
            throw CommandFailure(
                .notFound, "this device has no such user", remedy: "Register first: tenure client pin register \(words)"
            )
        }
        return user
    }
}

extension ClientOptions {
    /// Creates the client of M-Pin, whose users lie beside the keys and sessions.
    func mpin(_ client: TenureClient) -> MPinClient {
        MPinClient(
            client, store: dataDirectory.map { FileMPinStore(directory: $0 + "/mpin") } ?? PlatformMPinStore.standard())
    }
}

/// Reports what a call of M-Pin led to, and what to run next.
struct ClientPinReport {
    let company: String
    let user: MPinUser
    let status: MPinStatus
    /// More members of the JSON object, also shown as facts.
    var more: [String: String] = [:]
    /// Whether the call proved the PIN, after which nothing is left to run.
    var isProof = false

    /// Writes state and status. Throws a failure unless the status is `OK`.
    func write(_ options: ClientOptions) throws {
        let output = Output.standardOutput(), state = user.getState()
        if options.json {
            var members: [String: JSONValue] = [
                "companyName": .string(company), "userId": .string(user.id), "state": .string(state.rawValue),
                "status": .string(status.status.rawValue),
            ]
            if let identity = user.identityId { members["identityId"] = .uuid(identity) }
            for (name, value) in more { members[name] = .string(value) }
            try output.write(JSONLines.line(.object(members)))
        } else {
            let identity = user.identityId.map { [("Identity", $0.uuidString.lowercased())] } ?? []
            let facts = [
                ("User", user.id), ("Company", company), ("State", state.rawValue),
                ("Status", status.status.rawValue),
            ]
            try output.write(
                Facts(facts + identity + more.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
                    .rendered(on: output.terminal))
        }
        try CommandFailure.check(status, next: next)
        if let next { Output.standardError().line("Next: " + next) }
    }

    /// The next command; `nil` if there is none.
    var next: String? {
        guard !isProof || status.status != .ok else { return nil }
        let words = "\(ShellWord.quoteIfNeeded(company)) \(ShellWord.quoteIfNeeded(user.id))"
        return switch user.getState() {
        case .invalid: "tenure client pin register \(words)"
        case .startedRegistration:
            "verify the identity, for example by the mail, then tenure client pin finish \(words)"
        case .activated: "tenure client pin finish \(words)"
        case .registered: "tenure client pin login \(words)"
        case .blocked: "tenure client pin delete \(words), then register anew"
        }
    }
}

extension CommandFailure {
    /// Throws a failure unless the status is `OK`.
    static func check(_ status: MPinStatus, next: String? = nil) throws(CommandFailure) {
        guard status.status != .ok else { return }
        var message = status.message
        while message.hasSuffix(".") { message.removeLast() }
        let request = status.problem.map { " (\($0.code), request \($0.requestId))" } ?? ""
        throw CommandFailure(
            exitCode(status), "\(status.status.rawValue): \(message)\(request)", remedy: next.map { "Next: " + $0 })
    }

    private static func exitCode(_ status: MPinStatus) -> ExitCode {
        switch status.status {
        case .ok: .success
        case .pinInputCanceled: .cancelled
        case .identityNotAuthorized: status.problem?.knownCode == .companyUnknown ? .notFound : .notPermitted
        case .identityNotVerified, .revoked, .incorrectPIN, .incorrectAccessNumber, .clientSecretExpired:
            .notPermitted
        case .networkError: .unreachable
        case .httpServerError: status.problem?.status == 503 ? .unreachable : .failure
        case .httpRequestError: status.problem?.status == 429 ? .busy : .failure
        case .requestExpired: .busy
        case .cryptoError, .storageError, .responseParseError, .flowError, .badUserAgent: .failure
        }
    }
}

/// Starts the registration of a PIN.
struct ClientPinRegister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Start the registration of a user id on this device.",
        discussion: """
            Example:
              tenure client pin register harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    @Option(help: "The activation code from an admin, which verifies the identity at once.")
    var code: String?

    @Option(help: "The name of this device, which the service shows.")
    var deviceName: String?

    @Option(help: "Text for whoever decides about the identity.")
    var userData: String?

    func run() async throws {
        let client = try await arguments.options.client()
        let mpin = arguments.options.mpin(client)
        let user = mpin.makeNewUser(arguments.user, deviceName: deviceName)
        let (company, code, data) = (arguments.company, code, userData)
        let status = try await Interruption.stopping {
            try CommandFailure.check(await mpin.setBackend(companyName: company))
            return await mpin.startRegistration(user, activateCode: code, userData: data)
        }
        try ClientPinReport(company: company, user: user, status: status).write(arguments.options)
    }
}

/// Starts the verification of an identity again.
struct ClientPinRestart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Have the identity verified again, for example by another mail.",
        discussion: """
            Example:
              tenure client pin restart harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    @Option(help: "Text for whoever decides about the identity.")
    var userData: String?

    func run() async throws {
        let data = userData
        try await arguments.run { _, mpin, user in (await mpin.restartRegistration(user, userData: data), [:]) }
    }
}

/// Links an identity to an employee's account.
struct ClientPinLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Link the identity to your account, signed with this device's key.",
        discussion: """
            You must be logged in on this device, and the user id must be your e-mail address or your employee id. A \
            linked identity is verified at once.

            Example:
              tenure client pin link harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Your employee id. Default: the last account used here.", valueName: "employee"))
    var employee: String?

    func run() async throws {
        let (company, employee) = (
            arguments.company, employee ?? arguments.options.lastAccount.name()?.companyEmployeeId
        )
        try await arguments.run { client, mpin, user in
            guard let employee,
                let session = try await client.session(companyName: company, companyEmployeeId: employee)
            else { throw TenureClientError(.notLoggedIn) }
            return (await mpin.link(user, session: session), [:])
        }
    }
}

/// Checks whether an identity is verified.
struct ClientPinConfirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Check whether the identity is verified and the key can be fetched.",
        discussion: """
            The key is not kept between commands; finish fetches it again.

            Example:
              tenure client pin confirm harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    func run() async throws {
        try await arguments.run { _, mpin, user in (await mpin.confirmRegistration(user), [:]) }
    }
}

/// Sets the PIN.
struct ClientPinFinish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish", abstract: "Fetch the key, choose the PIN, and prove it to the service.",
        discussion: """
            Example:
              tenure client pin finish harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    func run() async throws {
        try await arguments.run { _, mpin, user in
            let confirmed = await mpin.confirmRegistration(user)
            guard confirmed.status == .ok else { return (confirmed, [:]) }
            return (await mpin.finishRegistration(user, pin: try await TerminalPrompts().newPIN()), [:])
        }
    }
}

/// Authenticates with the PIN.
struct ClientPinLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Authenticate with the PIN.",
        discussion: """
            This proves the identity. With --as it also opens a session of a linked account, if the company permits \
            that. With --authorization-code it prints the code for a back end instead of asking for the verdict.

            Example:
              tenure client pin login harbour.example anna@harbour.example --as anna
            """)

    @OptionGroup var arguments: ClientPinUser

    @Option(
        name: .customLong("as"), help: ArgumentHelp("Open a session of this account.", valueName: "employee"))
    var employee: String?

    @Flag(help: "Print the authorization code, which is not redeemed.")
    var authorizationCode = false

    func validate() throws {
        if employee != nil && authorizationCode {
            throw ValidationError("Use either --as or --authorization-code.")
        }
    }

    func run() async throws {
        if let employee { return try await openSession(of: employee) }
        let isCode = authorizationCode
        try await arguments.run(isProof: true) { _, mpin, user in
            let started = await mpin.startAuthentication(user)
            guard started.status == .ok else { return (started, [:]) }
            let pin = try await TerminalPrompts().pin()
            guard isCode else {
                let status = await mpin.finishAuthentication(user, pin: pin)
                return (status, user.employee?.companyEmployeeId.map { ["companyEmployeeId": $0] } ?? [:])
            }
            let (status, code) = await mpin.finishAuthenticationMFA(user, pin: pin)
            return (status, code.map { ["authorizationCode": $0] } ?? [:])
        }
    }

    private func openSession(of employee: String) async throws {
        let client = try await arguments.options.client()
        let mpin = arguments.options.mpin(client)
        let (company, id) = (arguments.company, arguments.user)
        let (user, status, outcome) = try await Interruption.stopping {
            try CommandFailure.check(await mpin.setBackend(companyName: company))
            let user = try await ClientPinUser.stored(id, of: company, in: mpin, at: client)
            let started = await mpin.startAuthentication(user)
            guard started.status == .ok else { return (user, started, FlowOutcome?.none) }
            let (status, outcome) = await mpin.logIn(
                user, pin: try await TerminalPrompts().pin(), companyName: company, companyEmployeeId: employee)
            return (user, status, outcome)
        }
        if let outcome { return try OutcomeReport(outcome).write(arguments.options) }
        try ClientPinReport(company: company, user: user, status: status).write(arguments.options)
    }
}

/// Lists the users of this device.
struct ClientPinList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the users of a company on this device. Needs no service.",
        discussion: """
            Example:
              tenure client pin list harbour.example
            """)

    @Argument(help: "The company's name.")
    var company: String

    @OptionGroup var options: ClientOptions

    func run() async throws {
        let client = try await options.client()
        let (status, users) = await options.mpin(client)
            .listUsers(of: MPinClient.address(of: company, at: client.baseURL))
        try CommandFailure.check(status)
        let output = Output.standardOutput()
        guard !options.json else {
            for user in users {
                try output.write(
                    JSONLines.line(
                        .objectOmittingNil([
                            "companyName": .string(company), "userId": .string(user.id),
                            "state": .string(user.getState().rawValue),
                            "identityId": user.identityId.map(JSONValue.uuid),
                            "deviceName": user.deviceName.map(JSONValue.string),
                        ])))
            }
            return
        }
        guard !users.isEmpty else {
            return Output.standardError().line("This device has no users of \(Printable.text(company)).")
        }
        var table = Table([.init(title: "User"), .init(title: "State"), .init(title: "Identity")])
        for user in users {
            table.add([user.id, user.getState().rawValue, user.identityId?.uuidString.lowercased() ?? ""])
        }
        try output.write(table.rendered(on: output.terminal))
    }
}

/// Erases a user from this device.
struct ClientPinDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Erase a user's token from this device. Needs no service.",
        discussion: """
            The service is not told. An admin, or the linked account, revokes an identity there.

            Example:
              tenure client pin delete harbour.example anna@harbour.example
            """)

    @OptionGroup var arguments: ClientPinUser

    func run() async throws {
        let client = try await arguments.options.client()
        let mpin = arguments.options.mpin(client)
        let user = try await ClientPinUser.stored(arguments.user, of: arguments.company, in: mpin, at: client)
        let status = await mpin.deleteUser(user)
        try ClientPinReport(company: arguments.company, user: user, status: status).write(arguments.options)
    }
}
