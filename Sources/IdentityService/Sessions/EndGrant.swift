import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Ends grants: the transaction that appends `GrantClosed` deletes the rows.
struct EndGrant: Sendable {
    let context: ServiceContext

    /// Ends one grant; does nothing if it has ended.
    ///
    /// - Parameter reply: The statement that stores the reply of the call, and its ledger.
    func run(
        _ grant: UUID, in tenant: TenantID, _ reason: GrantEnd, _ call: Call, actor: UUID? = nil,
        storing reply: (statement: SQL, ledger: LedgerID)? = nil
    ) async throws {
        var recorder = EventRecorder(
            context, at: call.time, metadata: EventMetadata(actor: actor, requestId: call.requestId))
        try Self.add([grant], in: tenant, reason, to: &recorder)
        if let reply {
            recorder.statements.append(reply.statement)
            recorder.ledgers.insert(reply.ledger)
        }
        do { try await recorder.append() } catch {
            // Another call ended the grant first, with the requested result.
            guard error.code == .versionConflict else { throw ServiceError(error) ?? error }
        }
    }

    /// Ends the grants that a client has of an account, because the person logged out.
    ///
    /// - Parameter condition: Which of them.
    func logOut(
        _ client: AppID, of employee: UUID, in tenant: UUID, where condition: SQL, _ call: Call
    ) async throws {
        try await optimistic {
            let rows = try await GrantRow.all(
                in: tenant, where: "employee_id = \(employee) AND client_id = \(client.uuid) AND \(condition)",
                context)
            let open = try await forgettingEnded(rows.map(\.id), in: TenantID(tenant))
            guard !open.isEmpty else { return }
            var recorder = EventRecorder(
                context, at: call.time,
                metadata: EventMetadata(actor: employee, app: client.uuid, requestId: call.requestId))
            try Self.add(open, in: TenantID(tenant), .loggedOut, to: &recorder)
            try await recorder.append()
        }
    }

    /// Ends all grants of an account at the request of its owner.
    ///
    /// - Parameter session: The session whose grants go on; `nil` if none do.
    func endAll(of employee: EmployeeID, in tenant: TenantID, butOf session: UUID? = nil, _ call: Call) async throws {
        try await optimistic {
            while case let grants = try await Self.rows(of: employee, in: tenant, butOf: session, context),
                !grants.isEmpty
            {
                var recorder = EventRecorder(
                    context, at: call.time, metadata: EventMetadata(actor: employee.uuid, requestId: call.requestId))
                let open = try await forgettingEnded(grants, in: tenant)
                guard !open.isEmpty else { continue }
                try Self.add(open, in: tenant, .endedByOwner, to: &recorder)
                try await recorder.append()
            }
        }
    }

    /// Returns those of the grants whose streams have no end, and deletes the rows of the others: somebody put them back.
    func forgettingEnded(_ grants: [UUID], in tenant: TenantID) async throws -> [UUID] {
        let streams = try await context.reader.streams(grants.map { .grant(GrantID($0), in: tenant) })
        let open = grants.filter { streams[.grant(GrantID($0), in: tenant)]?.count == 1 }
        let ended = grants.filter { !open.contains($0) }
        if !ended.isEmpty {
            _ = try await context.pool.query(
                Self.deletion(ended, of: tenant.uuid), in: [LedgerID(tenant.uuid)])
        }
        return open
    }

    /// Adds the ends of grants that are open.
    static func add(
        _ grants: [UUID], in tenant: TenantID, _ reason: GrantEnd, to recorder: inout EventRecorder
    ) throws {
        guard !grants.isEmpty else { return }
        for grant in grants {
            try recorder.add(
                GrantClosed(grantID: GrantID(grant), reason: reason), to: .grant(GrantID(grant), in: tenant),
                version: 1)
        }
        recorder.statements.append(Self.deletion(grants, of: tenant.uuid))
    }

    /// The statement that deletes rows.
    static func deletion(_ grants: [UUID], of tenant: UUID) -> SQL {
        "DELETE FROM tenure.client_grant WHERE ledger_id = \(tenant) AND grant_id = ANY (\(grants))"
    }

    /// The ids of grants of an account, a hundred at most, whoever wrote them.
    ///
    /// - Parameters:
    ///   - client: The client; `nil` for all.
    ///   - session: The session whose grants are left out.
    static func rows(
        of employee: EmployeeID, in tenant: TenantID, client: UUID? = nil, butOf session: UUID? = nil,
        _ context: ServiceContext
    ) async throws -> [UUID] {
        let chosen: SQL = client.map { "client_id = \($0)" } ?? "true"
        let others: SQL = session.map { "session_id <> \($0)" } ?? "true"
        return try await context.pool.query(
            """
            SELECT grant_id FROM tenure.client_grant
            WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid) AND \(chosen) AND \(others) LIMIT 100
            """, in: [LedgerID(tenant.uuid)]
        ).map { try $0.decode(UUID.self) }
    }
}
