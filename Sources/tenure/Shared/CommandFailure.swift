import ArgumentParser
import ErrorCodes
import HTTPAPI
import HTTPLimits
import IdentityService
import Keys
import Ledger
import LocalDevelopment
import MPinAuthority
import Postgres
import TenureAPI
import TenureClient
import TenureServer

/// The error that ends a command, with a message for the person and a remedy.
struct CommandFailure: Error, Sendable, Equatable, CustomStringConvertible {
    var exitCode: ExitCode
    /// The message: one sentence, without a full stop if it ends in a value.
    var message: String
    /// The next thing to do, or `nil`.
    var remedy: String?

    init(_ exitCode: ExitCode, _ message: String, remedy: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        self.remedy = remedy
    }

    /// The message and the remedy. The remedy comes last, where a reader looks first.
    var description: String {
        let first = "tenure: " + Printable.text(message)
        guard let remedy else { return first }
        return first + "\n        " + remedy
    }
}

extension CommandFailure {
    /// Says what keeps a development service from running.
    init(_ failure: DevelopmentFailure) {
        let exitCode: ExitCode =
            switch failure.kind {
            case .failure: .failure
            case .usage: .usage
            case .unreachable: .unreachable
            case .notPermitted: .notPermitted
            case .notFound: .notFound
            case .busy: .busy
            }
        self.init(exitCode, failure.message, remedy: failure.remedy)
    }
}

extension CommandFailure {
    /// Converts an error of the client library to a message for the person.
    static func client(_ error: TenureClientError) -> CommandFailure {
        CommandFailure(exitCode(error.kind), message(error), remedy: remedy(error))
    }

    private static func exitCode(_ kind: TenureClientError.Kind) -> ExitCode {
        switch kind {
        case .mpinUnknown: .notFound
        case .appLastWithAccess, .policySecretlessPeople, .policyPasskeylessPeople, .emailUnverified,
            .recoveryOtherCompanies, .recoveryNotAvailable, .returnNotAvailable,
            .mpinKeyExpired, .notLoggedIn, .signingRefused, .credentialsChanged:
            .notPermitted
        case .questionsAlike, .textTooLong, .textInvalid, .questionTwice, .questionUnknown, .addressInvalid,
            .baseURLMissing, .promptRequired, .promptUnavailable:
            .usage
        case .connectionLost: .unreachable
        case .serviceBusy, .idempotencyInProgress: .busy
        case .cancelled: .cancelled
        case .routeUnknown, .mpinPointInvalid: .failure
        default: ErrorCode(rawValue: kind.rawValue).map { exitCode(status: $0.status) } ?? .failure
        }
    }

    /// The exit code of the codes with a status that have none of their own.
    private static func exitCode(status: Int) -> ExitCode {
        switch status {
        case 400, 413: .usage
        case 401, 403, 410: .notPermitted
        case 404: .notFound
        case 429: .busy
        case 503: .unreachable
        default: .failure
        }
    }

    private static func message(_ error: TenureClientError) -> String {
        guard let problem = error.problem else {
            // A hint about a refused entry explains the words, and a refused entry replaces them.
            if let words = words[error.kind], error.kind != .storageFailed || error.advice.isEmpty {
                return ([words] + error.advice).joined(separator: ". ")
            }
            guard error.advice.isEmpty else { return error.advice.joined(separator: " ") }
            return ErrorCode(rawValue: error.code.rawValue).map { "\($0.title) (\($0))" } ?? error.code.rawValue
        }
        let details = problem.errors.map(\.detail) + error.advice + problem.notices.map(NoticeText.of)
        return "\(problem.title) (\(problem.code))" + (details.isEmpty ? "" : ": " + details.joined(separator: ", "))
    }

    private static func remedy(_ error: TenureClientError) -> String? {
        if let time = error.problem?.availableAt { return "Come back with this device at \(TimeText.short(time)) UTC." }
        if let wait = error.retryAfter {
            return "Try again in \(ProgressText.time(wait)). The request was \(error.requestId ?? "")."
        }
        if let problem = error.problem { return "\(problem.detail) The request was \(problem.requestId)." }
        switch error.kind {
        case .connectionLost: return "Check TENURE_URL, and that the service is running."
        case .promptUnavailable:
            return "Run the command at a terminal: answers and passphrases are read from nowhere else."
        case .credentialsChanged:
            return "If you did not change them, tell the operator of the service. Nothing was sent or signed."
        case .notLoggedIn: return "Log in first: tenure client login"
        case .storageFailed where !error.advice.isEmpty: return nil
        case .keyFileInvalid, .pinInvalid, .storageFailed:
            return "Only you may have access to the files of --data-directory. Run chmod -R go= on it."
        default: return ErrorCode(rawValue: error.code.rawValue)?.advice
        }
    }

    private static let words: [TenureClientError.Kind: String] = [
        .connectionLost: "the service cannot be reached",
        .requestTooLarge: "the request is larger than the service, or a proxy in front of it, accepts",
        .responseInvalid: "the response does not come from a Tenure service",
        .signingRefused:
            "nothing was signed: the answers or the passphrase are wrong, or this is another service than before",
        .credentialsChanged: "the credentials differ from those that this device knows",
        .pinInvalid: "this device's record of the credentials cannot be read",
        .keyFileInvalid: "the device key is unreadable, or other users can read it",
        .storageFailed: "the session cannot be stored, or other users could read it",
        .promptUnavailable: "standard input is not a terminal",
        .notLoggedIn: "nobody is logged in on this device",
        .recoveryUnknown: "no such recovery is open",
        .returnUnknown: "this device can cancel no return",
        .modeUnavailable: "the requested mode is not available",
        .addressInvalid: "the address of the service, or a name, cannot be a part of a URL",
        .baseURLMissing: "no address of a service is given",
        .promptRequired: "a person must be asked, and this command cannot ask",
        .authorizationPending: "this device's key is not authorized yet",
        .cancelled: "cancelled",
        .questionsAlike: "the five questions must differ",
        .textTooLong: "an entry is too long",
        .textInvalid: "an entry contains a character that is not accepted",
        .questionTwice: "a question is answered twice",
        .questionUnknown: "an answer is to a question that was not asked",
    ]
}

extension CommandFailure {
    /// Converts any error that a command threw to a message and an exit code.
    ///
    /// - Returns: `nil` for errors of the argument parser: help, a usage error, an exit code.
    init?(describing error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let failure as DevelopmentFailure: self.init(failure)
        case let error as PostgresError: self = Self.postgres(error)
        case let error as MigrationError: self = Self.migration(error)
        case let error as KeysError: self.init(.failure, error.reason, remedy: error.remedy)
        case let error as MPinAuthorityError: self = Self.mpinAuthority(error)
        case let error as MPinAuthorityClientError: self = .mpinAuthorityClient(error)
        case let error as ServiceError: self = Self.service(error)
        case let error as AnchorFileError:
            self.init(error.code == .conflict ? .integrityViolation : .failure, "\(error)", remedy: error.remedy)
        case let error as DistributionError: self = Self.distribution(error)
        case let error as LedgerError:
            self = ServiceError(error).map(Self.service) ?? Self(.failure, "the log refused: \(error)")
        case let error as ProofError: self = Self.proof(error)
        case let error as HTTPConfigurationError: self = Self.http(error)
        case let error as UnsafeRole:
            self.init(
                .usage, "the database role defeats row-level security: \(error)",
                remedy:
                    "Connect with the roles tenure_app and tenure_reader, as tenure migrate creates them."
            )
        case let error as ErasureError: self = Self.erasure(error)
        case let error as OperatorKeyError: self = Self.operatorKey(error)
        case let error as PagesError:
            self.init(.notFound, "\(error)", remedy: "tenure pages enable --operator-key FILE")
        case let error as PublicURLChanged:
            self.init(
                .usage, "\(error)",
                remedy: """
                    Set TENURE_PUBLIC_URL to the old one. If the service moves, start it once with --accept-public-url: \
                    every browser is then a new device.
                    """)
        case let error as PasskeyOriginsMissed:
            self.init(
                .usage, "\(error)",
                remedy: """
                    Set TENURE_PUBLIC_URL to one of them, or add it with tenure passkey origins. If the service moves, \
                    start it once with --accept-public-url: no passkey works then.
                    """)
        case let error as DecisionWithoutEffect:
            self.init(
                .failure, "\(error)",
                remedy: "To bring the security admin back, name a new device with --key. It shows its fingerprint.")
        case let error as TenureClientError: self = Self.client(error)
        case is CancellationError: self.init(.cancelled, "cancelled")
        default: return nil
        }
    }

    private static func distribution(_ error: DistributionError) -> CommandFailure {
        let code: ExitCode =
            switch error {
            case .unknownLedger: .notFound
            case .ambiguousNode, .notDistributed: .usage
            case .moving: .busy
            default: error.code == .unknownNode ? .notFound : .failure
            }
        return CommandFailure(code, error.reason, remedy: error.remedy)
    }

    private static func postgres(_ error: PostgresError) -> CommandFailure {
        switch error.code {
        case .connection: databaseAway(nil, error)
        case .serverBehind: CommandFailure(.unreachable, error.reason)
        case .databaseEncoding:
            CommandFailure(
                .usage, error.reason,
                remedy:
                    "Make one: createdb --encoding=UTF8 --locale=C --template=template0 NAME, and name it in the URL.")
        case .timeout: CommandFailure(.unreachable, "the database did not answer in time: \(error.reason)")
        case .poolExhausted: CommandFailure(.busy, "the database is busy: \(error)")
        case .usage: CommandFailure(.usage, "\(error)")
        default: CommandFailure(.failure, "the database refused: \(String(reflecting: error))")
        }
    }

    private static func migration(_ error: MigrationError) -> CommandFailure {
        let stop = "the migration stopped (\(error.code))"
        return switch error.code {
        case .historyMismatch:
            CommandFailure(
                .failure, "\(stop): this database has another history of migrations, from \(error.name) on",
                remedy:
                    "Delete a development state with make reset. Otherwise use the version that created it."
            )
        case .unknownMigration:
            CommandFailure(
                .failure, "\(stop): a newer version has migrated this database; this one does not know \(error.name)",
                remedy: "Use the newer version. Delete a development state with make reset.")
        case .newerFunction:
            CommandFailure(
                .failure, "\(stop): a newer version has replaced the function \(error.name)",
                remedy: "Use the newer version. Nothing was changed.")
        case .notPermitted: CommandFailure(.notPermitted, error.name, remedy: error.remedy)
        // This is the operator's own terminal, so the server's message helps more than it reveals.
        default: CommandFailure(.failure, "the migration stopped: \(error.debugDescription)")
        }
    }

    private static func service(_ error: ServiceError) -> CommandFailure {
        let details = error.members.map { member in
            if case .pointer(let pointer) = member.place, !pointer.isEmpty {
                "\(pointer) \(member.detail)"
            } else {
                member.detail
            }
        }.joined(separator: ", ")
        // The API's text for the code, as `tenure client` shows it.
        let message = "\(error.code.title) (\(error.code))" + (details.isEmpty ? "" : ": \(details)")
        return CommandFailure(exitCode(error.code), message, remedy: error.code.advice)
    }

    private static func exitCode(_ code: ErrorCode) -> ExitCode {
        switch code.status {
        case 404: return .notFound
        case 400, 413: return .usage
        case 403: return .notPermitted
        default: break
        }
        switch code {
        case .appUnknown: return .notFound
        case .serviceBusy: return .busy
        case .serviceUnavailable, .serviceClock: return .unreachable
        default: return .failure
        }
    }

    private static func erasure(_ error: ErasureError) -> CommandFailure {
        switch error.code {
        case .userUnknown: CommandFailure(.notFound, "there is no such user")
        case .employeeUnknown: CommandFailure(.notFound, "the company has no such employee")
        case .mpinUnknown:
            CommandFailure(.notFound, "the company has no M-Pin identity or activation code of that user id or id")
        case .securityAdmin:
            CommandFailure(
                .notPermitted, "the person is the security admin of a company, which would lose its only one",
                remedy: "Appoint a successor first with tenure company succeed, or pass --including-security-admin.")
        }
    }

    private static func operatorKey(_ error: OperatorKeyError) -> CommandFailure {
        switch error.code {
        case .missing:
            CommandFailure(
                .usage, "\(error)",
                remedy: "Pass --operator-key FILE, or set \(Settings.Name.operatorKeyFile.variable)."
            )
        case .wrong:
            CommandFailure(
                .notPermitted, "\(error)", remedy: "tenure operator show prints the public half of the expected key.")
        case .notFounded: .operatorKeyFileNeeded
        case .foundedMeanwhile:
            CommandFailure(.busy, "\(error)", remedy: "Use the operator key that the other process created.")
        }
    }

    private static func proof(_ error: ProofError) -> CommandFailure {
        switch error.code {
        case .signatureInvalid, .rootMismatch, .bundleInvalid, .hashesMissing:
            CommandFailure(.integrityViolation, error.reason)
        default: CommandFailure(.failure, error.reason)
        }
    }

    private static func mpinAuthority(_ error: MPinAuthorityError) -> CommandFailure {
        let exitCode: ExitCode =
            switch error.code {
            case .busy: .busy
            case .clearTextBeyondLoopback: .usage
            default: .failure
            }
        return CommandFailure(exitCode, error.reason, remedy: error.remedy)
    }

    private static func http(_ error: HTTPConfigurationError) -> CommandFailure {
        switch error.code {
        case .clearTextBeyondLoopback:
            CommandFailure(
                .usage, "the service would serve clear text beyond this machine",
                remedy: """
                    Set TENURE_TLS_CERTIFICATE_FILE and TENURE_TLS_KEY_FILE, or TENURE_CLEAR_TEXT_ALLOWED=true behind a \
                    proxy that terminates TLS.
                    """)
        case .builtWithoutTLS:
            CommandFailure(.usage, "\(TLSBuild.reason), so it serves on loopback only", remedy: TLSBuild.remedy)
        case .publicURLInvalid:
            CommandFailure(
                .usage, "\(Settings.Name.publicUrl.variable) is not the address of a service",
                remedy: "Write it as callers do, such as https://id.example, without a slash at the end.")
        case .certificateUnreadable:
            CommandFailure(
                .usage, "the certificate or its key cannot be used",
                remedy: "Check the files of TENURE_TLS_CERTIFICATE_FILE and TENURE_TLS_KEY_FILE with: tenure doctor")
        case .certificateMismatch:
            CommandFailure(
                .usage, "the certificate and its key do not belong together",
                remedy: "TENURE_TLS_KEY_FILE must hold the key of the first certificate of TENURE_TLS_CERTIFICATE_FILE."
            )
        case .metricsTokenMissing:
            CommandFailure(
                .usage, "metrics beyond this machine need a token",
                remedy: "Set TENURE_METRICS_TOKEN, or TENURE_METRICS_LISTEN to an address of loopback.")
        case .metricsAddressTaken:
            CommandFailure(
                .usage, "the address of the metrics is taken",
                remedy: "Set TENURE_METRICS_LISTEN to a free address, or to off.")
        case .limitInvalid:
            CommandFailure(
                .usage, "a limit of requests or connections is not positive",
                remedy: "See the limits in docs/configuration.md.")
        default:
            CommandFailure(.usage, "the service cannot start with these settings: \(error)")
        }
    }
}
