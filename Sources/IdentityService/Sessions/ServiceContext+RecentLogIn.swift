import Canonical
import ErrorCodes
import EventCoding
import Identity
import Ledger

extension ServiceContext {
    /// When the caller logged in, by the event that opened the session.
    func loggedInAt(_ caller: EmployeeCaller) async throws -> Timestamp? {
        let stream = StreamID.session(caller.sessionId, in: TenantID(caller.tenantId))
        return try await reader.streams([stream])[stream]?.first?.time
    }

    /// Refuses a person who logged in more than ten minutes ago: what the call gives or changes is worth a stolen token.
    /// An app has no log-in, and passes.
    ///
    /// - Throws: `session.login_required`.
    func requireRecentLogIn(of caller: Caller, at time: Timestamp) async throws {
        guard case .employee(let employee) = caller else { return }
        guard let loggedIn = try await loggedInAt(employee), time <= loggedIn.adding(Tenant.recentLogIn) else {
            throw ServiceError(.sessionLoginRequired)
        }
    }
}
