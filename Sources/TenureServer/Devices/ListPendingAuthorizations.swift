import Canonical
import Credentials
import EventCoding
import Identity
package import IdentityService
import Projections
import ServiceLifecycle
package import TenureAPI

/// Lists pending device keys, each with the statement that an admin would sign.
package struct ListPendingAuthorizations: ProjectionRead {
    package let company: String
    package let page: PageRequest
    package let caller: Caller
    package let waitFor: Int64?
    /// The moment until which the read waits while there is no key, or `nil` to answer at once.
    package let until: ContinuousClock.Instant?

    package init(
        company: String, _ page: PageRequest, caller: Caller, waitFor: Int64? = nil,
        until: ContinuousClock.Instant? = nil
    ) {
        self.company = company
        self.page = page
        self.caller = caller
        self.waitFor = waitFor
        self.until = until
    }

    /// Reads a page. If it is empty, waits and reads again when there is a key, and once at the end.
    ///
    /// Each read authorizes the caller again, so an admin who is dismissed during the wait gets no further result. While
    /// it waits it asks nothing: all waiting callers share one query. It ends when the caller leaves.
    package func run(_ reads: CompanyReads) async throws -> PageResponse<PendingAuthorizationResponse> {
        var position = waitFor
        while true {
            let access = try await reads.open(company, caller, role: .authorization, waitFor: position)
            position = nil
            let found = try await read(access, reads)
            guard found.items.isEmpty, let until, ContinuousClock.now < until, !Task.isShuttingDownGracefully else {
                return found
            }
            try await CallerPresence.whilePresent { [page] in
                try await reads.views.waitForPendingKey(of: access.tenant.id, after: page.after, until: until)
            }
        }
    }

    private func read(_ access: CompanyAccess, _ reads: CompanyReads) async throws -> PageResponse<
        PendingAuthorizationResponse
    > {
        let now = reads.context.settings.now()
        let entries = try await reads.views.pendingAuthorizations(
            of: access.tenant.id, after: page.after, limit: page.limit + 1, at: now)
        let shown = entries.prefix(page.limit)
        let keys = try await reads.keys(of: shown.compactMap { $0.employee?.id }, in: access.tenant.id)
        let common = try await statementContext(access, reads.context, now)
        var items: [PendingAuthorizationResponse] = []
        for entry in shown {
            guard let employee = entry.employee else { continue }
            let row = entry.authorization
            var item = PendingAuthorizationResponse(
                employee: try EmployeeSummaryResponse(employee, access, keys), key: EmployeeKeyResponse(row),
                expiresAt: row.expiresAt, position: row.presented.position)
            if let common {
                let owner = try await StateLoader(reader: reads.context.reader).employee(
                    row.employee, in: access.tenant.id)
                item.statement = try await statement(for: row, of: owner, access, common, reads.context)
                item.deviceName = try DeviceNames(owner, keys: keys)[KeyFingerprint(of: row.key).bytes]
            }
            items.append(item)
        }
        return PageResponse(
            items: items, next: entries.count > page.limit ? shown.last?.authorization.presented.position : nil)
    }

    /// The common part of the statements in one list; `nil` for an app, which vouches instead.
    private func statementContext(
        _ access: CompanyAccess, _ context: ServiceContext, _ now: Timestamp
    ) async throws -> StatementContext? {
        guard case .employee = caller, access.signer != nil else { return nil }
        return try await StatementExchange(context: context, access: access).statementContext(at: now)
    }

    /// The statement to sign; `nil` if the key was decided since the projection was read, or is the signer's own.
    private func statement(
        for row: PendingAuthorizationRow, of employee: EmployeeSnapshot, _ access: CompanyAccess,
        _ common: StatementContext, _ context: ServiceContext
    ) async throws -> [UInt8]? {
        guard common.signer.bytes != row.key.bytes else { return nil }
        var common = common
        common.nonce = randomBytes(32)
        guard let key = employee.state.keys[row.key], key.status == .pending else { return nil }
        return try await StatementFacts(common, access.tenant, employee.leaves)
            .key(.authorize, key, of: employee, reason: "authorized", context).bytes
    }
}
