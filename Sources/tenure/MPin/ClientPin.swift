import ArgumentParser
import Canonical
import ErrorCodes
import Foundation
import TenureAPI
import TenureClient

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
