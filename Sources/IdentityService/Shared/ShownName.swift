package import EventCoding
package import FoundationEssentials
import Identity
package import Keys
import Ledger

/// The name by which a person wants to be seen, and whether an admin has approved it with its person.
package struct ShownName: Sendable, Equatable {
    package let text: String
    /// Whether an admin approved the person, or one of the person's devices, while the name was this one. Otherwise the
    /// name stands in quotation marks where somebody decides: see `NameLikeness.shown`.
    package let isApproved: Bool

    /// The latest name in the events of the account; `nil` without one, or once it is erased.
    ///
    /// - Parameter keys: The key of the person.
    /// - Throws: `KeysError` if the name was changed or moved.
    package init?(_ employee: EmployeeSnapshot, keys: [UUID: PersonKey]) throws {
        guard let last = employee.events.lastIndex(where: { $0.type == DisplayNameSet.type }),
            let set = try EventCodec.payload(of: employee.events[last], keys: keys) as? DisplayNameSet,
            let text = set.name?.text
        else { return nil }
        self.text = text
        isApproved = try employee.events[last...].contains { event in
            switch try EventCodec.payload(of: event, keys: keys) {
            case let approved as EmployeeApproved: return approved.by.isColleague(of: employee.id)
            case let authorized as EmployeeKeyAuthorized: return authorized.by.isColleague(of: employee.id)
            default: return false
            }
        }
    }
}

extension Authority {
    /// Whether somebody else than the employee decided, by a signature.
    fileprivate func isColleague(of employee: EmployeeID) -> Bool {
        if case .employee(let signer, _) = self { signer != employee } else { false }
    }
}

extension ServiceContext {
    /// The name by which a person wants to be seen; `nil` without one.
    func shownName(of employee: EmployeeSnapshot, in tenant: TenantID) async throws -> ShownName? {
        guard employee.state.displayNamings > 0 else { return nil }
        return try ShownName(employee, keys: try await personKeys.load([employee.id.uuid], ledger: tenant.uuid))
    }
}
