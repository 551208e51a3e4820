public import Credentials
import TenureAPI

/// The next step of a decision about a recovery.
public enum RecoveryDecisionStep: Sendable {
    /// The decision is made. The position is `nil` if it had been made before.
    case done(position: Int64?)
    /// The statement must be signed.
    case sign(RecoveryDecision)
}

/// A decision about a recovery that awaits this device's signature. Call ``sign()`` once the person has compared the
/// fingerprint.
///
/// ```swift
/// switch try await session.decideRecovery(.open, of: "1042", fingerprint: readOut) {
/// case .done: break
/// case .sign(let decision): _ = try await decision.sign()
/// }
/// ```
public struct RecoveryDecision: Sendable {
    let call: RecoveryDecisionCall
    /// The statement. It has been checked: it is about the requested key and action and names this device's key as
    /// signer.
    public let statement: RecoveryStatement

    /// Signs the statement with this device's key and sends the signature. A statement expires after 15 minutes.
    ///
    /// - Returns: The position in the tenant's ledger; `nil` if the decision was made in the meantime.
    /// - Throws: ``TenureClientError`` with `request.stale` if the account or the tenant changed in the meantime; begin
    ///   the decision again then. ``TenureClientError/Code/signingRefused`` if this device has lost its key.
    public func sign() async throws -> Int64? {
        let account = call.session.account
        guard let key = try await call.session.client.keyStore.key(of: account),
            statement.context.signer.bytes == key.publicKey.bytes
        else { throw TenureClientError(.signingRefused) }
        let signature = try await key.signature(over: statement)
        let signed = StatementSignature(statement: statement.bytes, signature: signature.bytes)
        guard case .done(_, let position) = try await call.send(signed) else {
            throw TenureClientError(.responseInvalid)
        }
        return position
    }
}

/// A decision as it is sent to the service, first without and then with a signature.
struct RecoveryDecisionCall: Sendable {
    let session: EmployeeSession
    let action: RecoveryStatement.Action
    let path: [String: String]
    /// The reason of a cancellation; `nil` for other actions.
    let reason: String?

    func send(_ signed: StatementSignature?) async throws -> DecisionResponse {
        let endpoint: Endpoint =
            switch action {
            case .open: .openRecovery
            case .confirm: .confirmRecovery
            case .cancel: .cancelRecovery
            }
        let body = DecisionRequest(reason: reason, signed: signed)
        return try await session.withAuthority { authority in
            try await session.client.call(endpoint, path, body: body, as: authority)
        }
    }
}

/// The expected content of a statement about a recovery, known to the client before it sees the statement.
struct RecoveryExpectation: Sendable {
    /// The longest accepted lifetime of a recovery in seconds: twice the longest delay, plus 72 hours to set
    /// credentials.
    static let longestSeconds: Int64 = (2 * 168 + 72) * 3_600

    private let action: RecoveryStatement.Action
    private let keyHash: [UInt8]
    private let reason: String
    private let signer: EmployeePublicKey
    private let shown: RecoveryResponse.Subject?
    private let company: PinnedCompany

    /// Collects the expected values: this device's key as signer, and the pinned tenant if there is one.
    init(
        _ action: RecoveryStatement.Action, _ keyHash: [UInt8], reason: String?, shown: RecoveryResponse.Subject?,
        by session: EmployeeSession
    ) async throws {
        guard let key = try await session.client.keyStore.key(of: session.account) else {
            throw TenureClientError(.signingRefused)
        }
        self.action = action
        self.keyHash = keyHash
        self.reason =
            switch action {
            case .open: "opened"
            case .confirm: "confirmed"
            case .cancel: reason ?? ""
            }
        self.shown = shown
        signer = key.publicKey
        company = try await PinnedCompany(of: session.account, on: session.client)
    }

    /// Parses a statement and returns it if it has the expected content.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused``.
    func statement(_ bytes: [UInt8]) throws(TenureClientError) -> RecoveryStatement {
        guard let statement = try? RecoveryStatement(parsing: bytes, expecting: action.tag),
            statement.keyHash == keyHash, statement.reason == reason,
            company.permits(statement.context, signedBy: signer),
            shown == nil || shown == statement.subject, statement.seconds ?? 0 <= Self.longestSeconds
        else { throw TenureClientError(.signingRefused) }
        return statement
    }
}

extension RecoveryStatement {
    fileprivate var subject: RecoveryResponse.Subject {
        .init(tenantId: context.tenant, userId: user, employeeId: employee)
    }
}

extension TenureClient {
    /// Cancels a recovery of the account with this device's key, without a log-in.
    ///
    /// The key must have been authorized at some time within the 30 days before the recovery was opened, even if others
    /// have revoked it since. The device signs the cancellation and nothing else.
    ///
    /// - Returns: The position in the tenant's ledger.
    /// - Throws: ``TenureClientError``: `recovery.unknown` if no recovery is open or this device may not cancel it.
    ///   ``TenureClientError/Code/signingRefused`` if this device has no key, or the service asks to sign anything
    ///   else.
    public func cancelRecovery(companyName: String, companyEmployeeId: String) async throws -> Int64? {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        guard let key = try await keyStore.key(of: account) else { throw TenureClientError(.signingRefused) }
        let flow = try await startLogin(company: companyName, employee: companyEmployeeId, key: key)
        _ = try await proveKey(flow, key: key)
        let path = ["flow": flow.handle]
        let first = try await call(
            .cancelRecoveryByDevice, path, body: DecisionRequest(), DecisionResponse.self)
        switch first {
        case .done(_, let position): return position
        case .signatureRequired(let bytes):
            let company = try await PinnedCompany(of: account, on: self)
            guard
                let statement = try? RecoveryStatement(parsing: bytes, expecting: RecoveryStatement.Action.cancel.tag),
                statement.reason == "owner", company.permits(statement.context, signedBy: key.publicKey)
            else { throw TenureClientError(.signingRefused) }
            let signature = try await key.signature(over: statement)
            let signed = StatementSignature(statement: bytes, signature: signature.bytes)
            guard
                case .done(_, let position) = try await call(
                    .cancelRecoveryByDevice, path, body: DecisionRequest(signed: signed), DecisionResponse.self)
            else { throw TenureClientError(.responseInvalid) }
            return position
        }
    }
}
