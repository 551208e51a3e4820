import Credentials
import TenureAPI

/// Everything that this client knows of a decision about a recovery before it is shown what to sign.
struct RecoveryExpectation: Sendable {
    /// For how long an opening may give the person time: 72 hours, in seconds.
    static let longestSeconds: Int64 = 72 * 3_600

    private let action: RecoveryStatement.Action
    private let keyHash: [UInt8]
    private let reason: String
    private let signer: EmployeePublicKey
    private let shown: RecoveryResponse.Subject?
    private let company: PinnedCompany

    /// Collects it: the signer is this device's key, and the company the one whose id is pinned, where one is.
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

    /// The statement, when it says that and nothing else.
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
