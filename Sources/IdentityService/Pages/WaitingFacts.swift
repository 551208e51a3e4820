import Canonical
import EventCoding
import FoundationEssentials
package import Identity
import Keys
import Ledger
import Postgres

/// What the log and the waiting browsers say about people who wait for an admin.
package struct WaitingFacts: Sendable {
    /// The employees who came by an invitation.
    package let invited: Set<EmployeeID>
    /// The users whose address a mail has confirmed, and not in a change of the last 14 days.
    package let confirmed: Set<UserID>
    /// The network that the browser of a flow is in, while it waits.
    package let networks: [FlowID: String]

    /// Reads the facts, whatever the number of people.
    ///
    /// - Throws: `LedgerError` and `PostgresError`.
    package static func load(
        employees: Set<EmployeeID>, users: Set<UserID>, flows: Set<FlowID>, in tenant: TenantID,
        _ context: ServiceContext
    ) async throws -> WaitingFacts {
        let claims = employees.map { ($0, context.ring.invitedClaim($0, in: tenant)) }
        let found = try await context.reader.claims(claims.map(\.1))
        let streams = try await context.reader.streams(users.map { StreamID.user($0) })
        var confirmed: Set<UserID> = []
        for user in users {
            let state = try StateLoader.user(user, streams[.user(user)] ?? []).state
            // A new address vouches for nobody yet.
            if state.isEmailVerified, state.isAddressSettled(at: context.settings.now()) { confirmed.insert(user) }
        }
        let waits = try await BrowserWaitRow.all(
            in: tenant.uuid, where: "flow_id = ANY (\(flows.map(\.uuid)))", context)
        let networks = waits.map { (FlowID($0.flow), WaitOrigin.of($0, context.ring).network) }
        return WaitingFacts(
            invited: Set(claims.filter { found[$0.1] != nil }.map(\.0)), confirmed: confirmed,
            networks: Dictionary(networks) { first, _ in first })
    }
}

extension WaitingFacts {
    /// Finds those of many people who were invited or whose address a mail once confirmed, by two queries.
    ///
    /// It only finds whose rows to read: ``load(employees:users:flows:in:_:)`` says what is so.
    package static func vouched(
        among people: [(employee: EmployeeID, user: UserID)], in tenant: TenantID, _ context: ServiceContext
    ) async throws -> Set<EmployeeID> {
        let ledger = LedgerID(tenant.uuid), directories = Set(people.map { LedgerID.directory(of: $0.user) })
        let invited = try await context.pool.query(
            """
            SELECT owner FROM tenure.claim WHERE ledger_id = \(ledger.uuid) AND kind = 'invited'
                AND owner = ANY (\(people.map(\.employee.uuid)))
            """, in: [ledger])
        let confirmed = try await context.pool.query(
            """
            SELECT DISTINCT stream_id FROM tenure.event WHERE ledger_id = ANY (\(directories.map(\.uuid)))
                AND stream_id = ANY (\(people.map(\.user.uuid))) AND kind = 'user' AND type = \(EmailVerified.type)
            """, in: directories)
        let users = Set(try confirmed.map { UserID(try $0.decode(UUID.self)) })
        return Set(try invited.map { EmployeeID(try $0.decode(UUID.self)) })
            .union(people.filter { users.contains($0.user) }.map(\.employee))
    }
}
