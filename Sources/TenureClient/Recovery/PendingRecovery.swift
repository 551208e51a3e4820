import Canonical
public import Credentials
import ErrorCodes
public import TenureAPI

/// A device key that awaits the approval of a recovery by two colleagues.
///
/// The service does not reveal whether the employee exists, so a misspelled id is pending as well.
///
/// ```swift
/// show(pending.words)
/// let step = try await pending.approval()
/// let outcome = try await step.submit(newCredentials)
/// ```
public struct PendingRecovery: Sendable {
    private let client: TenureClient
    private let key: any DeviceKey
    /// The account whose credentials are lost.
    public let account: AccountName

    init(client: TenureClient, account: AccountName, key: any DeviceKey) {
        self.client = client
        self.account = account
        self.key = key
    }

    /// The fingerprint of this device's key: 64 lower-case hex digits. The person reads it out to the admins.
    public var fingerprint: String { key.publicKey.fingerprint }
    /// The comparison words of the fingerprint, to read out. Pages show the same.
    public var words: String { FingerprintWords(hex: fingerprint).text }
    /// The fingerprint in groups of four digits, for tools that show no words.
    public var readableFingerprint: String { Fingerprint.readable(fingerprint) }

    /// Asks again with the same key.
    ///
    /// The program may exit in the meantime: the key is stored, and
    /// ``TenureClient/recover(companyName:companyEmployeeId:)`` continues with it.
    ///
    /// - Throws: ``TenureClientError``.
    public func ask() async throws -> RecoveryStep { try await client.recover(account, key: key) }

    /// Polls until both approvals are there and the waiting time is over, which takes hours. Cancel the task to stop
    /// waiting.
    ///
    /// It continues to poll while the service is busy or unreachable.
    ///
    /// - Parameter pause: The time between two polls.
    /// - Throws: ``TenureClientError`` that is not retryable; `CancellationError`.
    public func approval(askingEvery pause: Duration = .seconds(5)) async throws -> RecoveredCredentialsStep {
        var wait = pause
        while true {
            try await Task.sleep(for: wait)
            wait = pause
            do {
                switch try await ask() {
                case .setCredentials(let step): return step
                case .availableLater(_, let time): wait = max(pause, time.duration(since: .now()))
                case .approvalPending: break
                }
            } catch {
                guard let failure = error as? TenureClientError, failure.isRetryable else { throw error }
                wait = max(pause, failure.retryAfter ?? pause)
            }
        }
    }
}

extension EmployeeSession {
    /// Lists the recoveries that are open or requested in this employee's tenant: at most a hundred, open ones first.
    /// For admins.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func recoveries() async throws -> [RecoveryResponse] {
        let path = ["companyName": account.companyName]
        return try await withAuthority { authority in
            try await client.call(.listRecoveries, path, as: authority, PageResponse<RecoveryResponse>.self).items
        }
    }

    /// Opens, confirms or cancels the recovery of an employee of this employee's tenant.
    ///
    /// An admin opens it; for an admin's recovery that must be the security admin. Another admin or an authorized
    /// device of the person confirms it. Any of them can cancel it. Before you call this method, compare the
    /// fingerprint with the one that the person reads out. It is the only protection against an impostor. Repeating a
    /// decision changes nothing.
    ///
    /// - Parameters:
    ///   - action: The decision.
    ///   - companyEmployeeId: The id of the employee whose credentials are to be recovered.
    ///   - fingerprint: The hexadecimal fingerprint of the new key. Case and spaces are ignored.
    ///   - shown: The subject from ``recoveries()``; a statement about anyone else is refused. `nil` for a fingerprint
    ///     that is not listed.
    ///   - reason: The reason for a cancellation, a code `[a-z0-9_.-]{1,64}`.
    /// - Throws: ``TenureClientError``: `recovery.unknown` if no recovery is open or the text is not a fingerprint;
    ///   `recovery.in_progress`, `recovery.other_companies` or `authorization.not_permitted`.
    ///   ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    public func decideRecovery(
        _ action: RecoveryStatement.Action, of companyEmployeeId: String, fingerprint: String,
        shown: RecoveryResponse.Subject? = nil, reason: String = "mistake"
    ) async throws -> RecoveryDecisionStep {
        let wanted = fingerprint.filter { !$0.isWhitespace }.lowercased()
        guard let keyHash = Hex.decode(wanted), keyHash.count == 32 else {
            throw TenureClientError(.init(.recoveryUnknown))
        }
        let call = RecoveryDecisionCall(
            session: self, action: action,
            path: [
                "companyName": account.companyName, "companyEmployeeId": companyEmployeeId, "fingerprint": wanted,
            ], reason: action == .cancel ? reason : nil)
        switch try await call.send(nil) {
        case .done(_, let position): return .done(position: position)
        case .signatureRequired(let bytes):
            let known = try await RecoveryExpectation(action, keyHash, reason: call.reason, shown: shown, by: self)
            return .sign(RecoveryDecision(call: call, statement: try known.statement(bytes)))
        }
    }
}
