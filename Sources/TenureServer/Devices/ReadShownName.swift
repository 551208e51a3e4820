import EventCoding
import FoundationEssentials
import Identity
package import IdentityService
import Keys
import Projections
import TenureAPI

/// Reads the name by which a person wants to be seen, for whoever decides about them.
package struct ReadShownName: ProjectionRead {
    package let company: String
    package let companyEmployeeId: String
    package let caller: EmployeeCaller

    package init(company: String, companyEmployeeId: String, caller: EmployeeCaller) {
        (self.company, self.companyEmployeeId, self.caller) = (company, companyEmployeeId, caller)
    }

    /// Returns the name; `nil` without one.
    package func run(_ reads: CompanyReads) async throws -> WaitingEntry.Name? {
        let access = try await reads.open(company, .employee(caller), role: .authorization, waitFor: nil)
        let tenant = access.tenant.id, id = try await reads.context.employeeID(companyEmployeeId, in: tenant)
        let owner = try await StateLoader(reader: reads.context.reader).employee(id, in: tenant)
        let keys = try await reads.keys(of: [id], in: tenant)
        return try await AdminNames(access.tenant, reads).name(of: owner, keys: keys)
    }
}

/// The names of a tenant's admins, which nobody else's should look like.
struct AdminNames {
    /// The number of admins whose names are compared: the security admin, and some of the others.
    private static let most = 50

    private var names: [EmployeeID: [String]] = [:]

    init(_ tenant: TenantSnapshot, _ reads: CompanyReads) async throws {
        let ids = [tenant.state.securityAdmin].compactMap(\.self) + tenant.state.admins.keys
        let keys = try await reads.keys(of: Array(ids.prefix(Self.most)), in: tenant.id)
        for id in ids.prefix(Self.most) {
            guard let row = try await reads.views.employee(id, in: tenant.id)?.employee else { continue }
            let admin = try await StateLoader(reader: reads.context.reader).employee(id, in: tenant.id)
            let address = try row.email.open(with: keys, in: tenant.id.uuid)
            names[id] = [
                try row.companyEmployeeID.open(with: keys, in: tenant.id.uuid),
                address?.split(separator: "@").first.map(String.init), try ShownName(admin, keys: keys)?.text,
            ].compactMap(\.self)
        }
    }

    /// The name of a person as whoever decides sees it; `nil` without one.
    func name(of person: EmployeeSnapshot, keys: [UUID: PersonKey]) throws -> WaitingEntry.Name? {
        guard let name = try ShownName(person, keys: keys) else { return nil }
        let others = names.filter { $0.key != person.id }.flatMap(\.value)
        return WaitingEntry.Name(
            text: NameLikeness.shown(name.text, isApproved: name.isApproved),
            looksLikeAdmin: NameLikeness(to: others).finds(name.text))
    }
}
