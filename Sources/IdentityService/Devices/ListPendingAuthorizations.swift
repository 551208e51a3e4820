import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Projections

/// Lists pending device keys, each with the statement that an admin would sign.
struct ListPendingAuthorizations: Sendable {
    let reads: CompanyReads

    func run(
        _ company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<PendingAuthorizationView> {
        let context = reads.context
        let access = try await reads.open(company, caller, role: .authorization, waitFor: waitFor)
        let now = context.settings.now()
        let entries = try await reads.views.pendingAuthorizations(
            of: access.tenant.id, after: after, limit: limit + 1, at: now)
        let shown = entries.prefix(limit)
        let keys = try await context.personKeys.load(
            shown.compactMap { $0.employee?.id.uuid }, ledger: access.tenant.id.uuid)
        let common = try await statementContext(access, caller, now)
        var items: [PendingAuthorizationView] = []
        for entry in shown {
            guard let employee = entry.employee else { continue }
            let row = entry.authorization
            items.append(
                PendingAuthorizationView(
                    employee: try reads.summary(of: employee, access, keys), key: Self.view(of: row),
                    expiresAt: row.expiresAt, position: row.presented.position,
                    statement: try await statement(for: row, access, common)))
        }
        return Page(items: items, next: entries.count > limit ? shown.last?.authorization.presented.position : nil)
    }

    /// The common part of the statements in one list; `nil` for an app, which vouches instead.
    private func statementContext(
        _ access: CompanyAccess, _ caller: Caller, _ now: Timestamp
    ) async throws -> StatementContext? {
        guard case .employee = caller, access.signer != nil else { return nil }
        return try await StatementExchange(context: reads.context, access: access).statementContext(at: now)
    }

    /// The statement to sign; `nil` if the key was decided since the projection was read, or is the signer's own.
    private func statement(
        for row: PendingAuthorizationRow, _ access: CompanyAccess, _ common: StatementContext?
    ) async throws -> [UInt8]? {
        guard var common, common.signer.bytes != row.key.bytes else { return nil }
        common.nonce = randomBytes(32)
        let employee = try await StateLoader(reader: reads.context.reader).employee(row.employee, in: access.tenant.id)
        guard let key = employee.state.keys[row.key], key.status == .pending else { return nil }
        return try await KeyStatements(context: reads.context).statement(
            .authorize, key, of: employee, reason: "authorized", tenant: access.tenant, common
        ).bytes
    }

    private static func view(of row: PendingAuthorizationRow) -> EmployeeKeyView {
        EmployeeKeyView(
            fingerprint: Hex.encode(ServiceContext.fingerprint(of: row.key)), employeePublicKey: row.key.bytes,
            state: "pending", presentedAt: row.presentedAt, decidedAt: nil)
    }
}
