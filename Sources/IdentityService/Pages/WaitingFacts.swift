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
    /// The users whose address a mail has confirmed.
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
            if state.isEmailVerified { confirmed.insert(user) }
        }
        let waits = try await BrowserWaitRow.all(
            in: tenant.uuid, where: "flow_id = ANY (\(flows.map(\.uuid)))", context)
        let networks = waits.map { (FlowID($0.flow), WaitOrigin.of($0, context.ring).network) }
        return WaitingFacts(
            invited: Set(claims.filter { found[$0.1] != nil }.map(\.0)), confirmed: confirmed,
            networks: Dictionary(networks) { first, _ in first })
    }
}
