import Canonical
import Credentials
import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Everything that this client knows of a decision about a role before it is shown what to sign.
struct RoleExpectation: Sendable {
    /// How far ahead a statement may expire: the quarter of an hour that a service asks for, and five minutes by which
    /// this device's clock may be late.
    static let longestLife: Duration = .seconds(900 + 300)

    private let role: RoleRequest.Role
    private let signer: EmployeePublicKey
    private let company: PinnedCompany
    private let employee: UUID
    /// Who leaves; of a succession only.
    private let own: UUID?
    private let followerFingerprint: String?

    /// Collects it: the signer is this device's key, the company the one whose id is pinned, where one is, and the ids
    /// those under which the ledger has the employee and, where they leave, the signer.
    init(
        _ role: RoleRequest.Role, of companyEmployeeId: String, followerFingerprint: String?,
        by session: EmployeeSession
    ) async throws {
        guard let key = try await session.client.keyStore.key(of: session.account) else {
            throw TenureClientError(.signingRefused)
        }
        signer = key.publicKey
        company = try await PinnedCompany(of: session.account, on: session.client)
        employee = try await session.registeredId(of: companyEmployeeId)
        own =
            role == .securityAdmin ? try await session.registeredId(of: session.account.companyEmployeeId) : nil
        self.role = role
        self.followerFingerprint = followerFingerprint?.filter { !$0.isWhitespace }.lowercased()
    }

    /// The statement, when it says that and nothing else.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused``.
    func statement(_ bytes: [UInt8], at now: Timestamp) throws(TenureClientError) -> RoleDecision.RoleOrSuccession {
        let statement: RoleDecision.RoleOrSuccession? =
            switch role {
            case .admin: appointment(bytes, .appoint, reason: "appointed")
            case .employee: appointment(bytes, .dismiss, reason: "dismissed")
            case .securityAdmin: succession(bytes)
            }
        guard let statement, company.permits(statement.context, signedBy: signer),
            statement.context.expires <= now.adding(Self.longestLife)
        else { throw TenureClientError(.signingRefused) }
        return statement
    }

    private func appointment(
        _ bytes: [UInt8], _ action: RoleStatement.Action, reason: String
    ) -> RoleDecision.RoleOrSuccession? {
        guard let statement = try? RoleStatement(parsing: bytes, expecting: .role), statement.action == action,
            statement.employee == employee, statement.role == "admin", statement.reason == reason
        else { return nil }
        return .role(statement)
    }

    private func succession(_ bytes: [UInt8]) -> RoleDecision.RoleOrSuccession? {
        guard let statement = try? SuccessionStatement(parsing: bytes, expecting: .succession),
            statement.from == own, statement.to == employee, statement.reason == "succession",
            followerFingerprint == nil || statement.toKey.fingerprint == followerFingerprint
        else { return nil }
        return .succession(statement)
    }
}
