import ErrorCodes
import Identity
package import Ledger

/// Maps refusals of the inner targets to codes of the API contract.
extension ServiceError {
    /// The refusal of a value that could not be parsed.
    init(_ error: ValueError) {
        self.init(error.code, members: [Member(pointer: "/\(error.field)", detail: error.reason)])
    }

    /// The rejection of a decider.
    init(_ rejection: some CodedRejection) {
        self.init(rejection.code, members: rejection.reason.map { [Member(pointer: "", detail: $0)] } ?? [])
    }

    /// The refusal for a temporary failure of an append, or for one by its time; `nil` for any other failure.
    package init?(_ error: LedgerError) {
        switch error.code {
        case .busy: self.init(.serviceBusy, retryAfterSeconds: 1)
        case .unavailable, .outcomeUnknown: self.init(.serviceUnavailable, retryAfterSeconds: 1)
        case .clock, .ahead: self.init(.serviceClock, retryAfterSeconds: 5)
        case .late:
            self.init(
                .requestStale,
                detail: "the statement or request expires before the ledger's latest event: decide again, and if that"
                    + " fails too, compare the clocks of the service, the database and this machine")
        default: return nil
        }
        cause = error.cause
    }

    /// The refusal of a request as a whole.
    init(_ code: ErrorCode, detail: String) {
        self.init(code, members: [Member(pointer: "", detail: detail)])
    }
}

/// Runs a use case and maps refusals of appends by their time, which may occur wherever something is recorded.
func refusingTimes<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    do { return try await body() } catch let error as LedgerError where error.isAboutTime {
        throw ServiceError(error) ?? error
    }
}

/// Parses a value and maps its refusal to the contract's code.
func parsed<Value>(_ parse: () throws(ValueError) -> Value) throws(ServiceError) -> Value {
    do { return try parse() } catch { throw ServiceError(error) }
}

extension Decider {
    /// Decides a command, and maps the rejection to the contract's code.
    static func decided(_ state: State, _ command: Command) throws(ServiceError) -> [Event] {
        do { return try decide(state, command) } catch { throw ServiceError(error) }
    }
}

/// Parses the code of a reason that a caller gives.
func reasonCode(_ text: String) throws(ServiceError) -> ReasonCode {
    guard let code = ReasonCode(text) else {
        throw ServiceError(
            .requestInvalid,
            members: [
                .init(
                    pointer: "/reason",
                    detail: "1 to 64 characters of a-z, 0-9, point, underscore and hyphen are expected")
            ])
    }
    return code
}

/// Retries a use case that loads, decides and appends, on version conflicts.
///
/// Every append names exact versions, so an outdated state leads to a retry and never to a wrong decision.
///
/// - Parameters:
///   - attempts: The largest number of attempts.
///   - retryingClaims: Whether a claim that somebody took or released first is a reason to decide again.
/// - Throws: `request.stale` after the last conflict, and the errors of `body`.
func optimistic<Result>(
    attempts: Int = 8, retryingClaims: Bool = false, _ body: () async throws -> Result
) async throws -> Result {
    for attempt in 1... {
        do {
            return try await body()
        } catch let error as LedgerError where error.isWorthDecidingAgain || (retryingClaims && error.isAboutClaim) {
            guard attempt < attempts else { throw ServiceError(.requestStale) }
            // Many first registrations of one tenant conflict here. Spreading them lets one pass at a time.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...(4 << min(attempt, 5)))))
        } catch let error as LedgerError {
            throw ServiceError(error) ?? error
        }
    }
    throw ServiceError(.requestStale)
}

extension LedgerError {
    /// Whether a claim belonged to somebody else, or to nobody any more.
    fileprivate var isAboutClaim: Bool { code == .claimTaken || code == .claimMissing }

    /// Whether the time of the append is to blame.
    fileprivate var isAboutTime: Bool { code == .late || code == .clock || code == .ahead }

    /// Whether a retry can succeed: a stream has another version, or a condition of the append failed. Examples are a
    /// bucket re-keyed while a key was created in it, and an employee registered while an e-mail was reclaimed.
    var isWorthDecidingAgain: Bool { code == .versionConflict || (code == .effectRefused && constraint == nil) }
}
