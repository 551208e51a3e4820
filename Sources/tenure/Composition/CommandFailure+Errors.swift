import ArgumentParser
import HTTPAPI
import IdentityService
import Keys
import Ledger
import Postgres
import TenureAPI
import TenureClient

extension CommandFailure {
    /// The words and the exit code for whatever a command threw.
    ///
    /// - Returns: `nil` for what the argument parser threw itself: help, a usage error, an exit code.
    init?(describing error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as PostgresError: self = Self.postgres(error)
        case let error as MigrationError:
            // The operator's own terminal: the server's words help more than they can harm here.
            self.init(.failure, "the migration stopped: \(error.debugDescription)")
        case let error as KeysError: self.init(.failure, error.reason, remedy: error.remedy)
        case let error as ServiceError: self = Self.service(error)
        case let error as LedgerError: self.init(.failure, "the log refused: \(error)")
        case let error as ProofError: self = Self.proof(error)
        case let error as HTTPConfigurationError: self = Self.http(error)
        case let error as UnsafeRole:
            self.init(
                .usage, "row-level security would not hold: \(error)",
                remedy:
                    "Connect as tenure_app and tenure_reader as tenure migrate makes them; see docs/configuration.md.")
        case let error as ErasureError: self = Self.erasure(error)
        case let error as TenureClientError: self = Self.client(error)
        case is CancellationError: self.init(.cancelled, "cancelled")
        default: return nil
        }
    }

    private static func postgres(_ error: PostgresError) -> CommandFailure {
        switch error.code {
        case .connection, .timeout:
            CommandFailure(
                .unreachable, "the database cannot be reached: \(String(reflecting: error))",
                remedy: "Is the server running, and is the URL right?")
        case .poolExhausted: CommandFailure(.busy, "the database is busy: \(error)")
        case .usage: CommandFailure(.usage, "\(error)")
        default: CommandFailure(.failure, "the database refused: \(String(reflecting: error))")
        }
    }

    private static func service(_ error: ServiceError) -> CommandFailure {
        let details = error.members.map { "\($0.pointer) \($0.detail)" }.joined(separator: ", ")
        // What the API says of the code, as `tenure client` shows it.
        let code = ErrorCode(rawValue: error.code.rawValue)
        let summary = code.map { "\($0.title) (\($0.rawValue))" } ?? error.code.rawValue
        let message = summary + (details.isEmpty ? "" : ": \(details)")
        return CommandFailure(exitCode(error.code), message, remedy: code?.advice)
    }

    private static func exitCode(_ code: ServiceError.Code) -> ExitCode {
        switch code.status {
        case 404: return .notFound
        case 400: return .usage
        case 403: return .notPermitted
        default: break
        }
        switch code {
        case .appUnknown: return .notFound
        case .serviceBusy: return .busy
        case .serviceUnavailable: return .unreachable
        default: return .failure
        }
    }

    private static func erasure(_ error: ErasureError) -> CommandFailure {
        switch error.code {
        case .userUnknown: CommandFailure(.notFound, "there is no such user")
        case .employeeUnknown: CommandFailure(.notFound, "the company has no such employee")
        case .securityAdmin:
            CommandFailure(
                .notPermitted, "the person is the security admin of a company, which would be left without one",
                remedy: "Appoint a successor first: tenure company succeed. Or say --including-security-admin.")
        }
    }

    private static func proof(_ error: ProofError) -> CommandFailure {
        switch error.code {
        case .signatureInvalid, .rootMismatch, .bundleInvalid, .hashesMissing:
            CommandFailure(.integrityViolation, error.reason)
        default: CommandFailure(.failure, error.reason)
        }
    }

    private static func http(_ error: HTTPConfigurationError) -> CommandFailure {
        let remedy: String? =
            error.code == .clearTextBeyondLoopback
            ? "Set TENURE_TLS_CERTIFICATE_FILE and TENURE_TLS_KEY_FILE, or TENURE_CLEAR_TEXT_ALLOWED=true behind a proxy that ends TLS."
            : nil
        return CommandFailure(.usage, "the service cannot be served like this: \(error)", remedy: remedy)
    }
}
