import Canonical
import FoundationEssentials

/// A colleague whose streams and keys are read where an unknown employee has none, and then thrown away: so both take the
/// same time. It is the company's security admin.
struct StandIn: Sendable, Equatable {
    /// Read by processes of the version before.
    var employeeId: UUID
    var userId: UUID
    var credentialId: UUID
}

extension StandIn {
    var json: JSONValue { .array([employeeId, userId, credentialId].map { .string($0.lowercased) }) }

    /// Reads what ``json`` wrote.
    init(json: JSONValue) throws {
        guard case .array(let items) = json, items.count == 3 else { throw ServiceError(.flowExpired) }
        let ids = try items.map { item in
            guard case .string(let text) = item, let id = UUID(uuidString: text) else {
                throw ServiceError(.flowExpired)
            }
            return id
        }
        self.init(employeeId: ids[0], userId: ids[1], credentialId: ids[2])
    }
}
