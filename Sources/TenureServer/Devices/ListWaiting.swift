import Canonical
import EventCoding
import Identity
package import IdentityService
import Projections
import TenureAPI

/// Lists who waits for an admin of a tenant, a page of it: people for their approval, and devices.
package struct ListWaiting: ProjectionRead {
    /// The entries of a page.
    package static let limit = 50

    /// A page of the list.
    package struct Answer: Sendable, Equatable {
        package let entries: [WaitingEntry]
        /// How many wait on all pages.
        package let count: Int

        package init(entries: [WaitingEntry], count: Int) { (self.entries, self.count) = (entries, count) }
    }

    package let company: String
    package let caller: EmployeeCaller
    /// The number of entries before the page.
    package let skipping: Int
    package let waitFor: Int64?

    package init(company: String, skipping: Int = 0, caller: EmployeeCaller, waitFor: Int64? = nil) {
        (self.company, self.skipping, self.caller, self.waitFor) = (company, skipping, caller, waitFor)
    }

    /// Reads the page, with the names of its people and devices.
    package func run(_ reads: CompanyReads) async throws -> Answer {
        let access = try await reads.open(company, .employee(caller), role: .authorization, waitFor: waitFor)
        let context = reads.context, tenant = access.tenant.id
        let all = try await WaitingReader(context: context, views: reads.views).entries(
            of: access.tenant, at: context.settings.now())
        let page = all.dropFirst(skipping).prefix(Self.limit)
        let keys = try await reads.keys(of: page.map { EmployeeID($0.employee) }, in: tenant)
        let admins = try await AdminNames(access.tenant, reads)
        var entries = Array(page)
        for place in entries.indices {
            let employee = EmployeeID(entries[place].employee)
            let owner = try await StateLoader(reader: context.reader).employee(employee, in: tenant)
            entries[place].name = try admins.name(of: owner, keys: keys)
            guard let fingerprint = entries[place].device?.fingerprint else { continue }
            entries[place].device?.name = try DeviceNames(owner, keys: keys)[Hex.decode(fingerprint) ?? []]
        }
        return Answer(entries: entries, count: all.count)
    }
}

/// Counts who waits for an admin of a tenant, as far as pages say the number.
package struct CountWaiting: ProjectionRead {
    /// The largest number that is told.
    package static let most = 99
    package let company: String
    package let caller: EmployeeCaller

    package init(company: String, caller: EmployeeCaller) { (self.company, self.caller) = (company, caller) }

    /// Returns the number.
    package func run(_ reads: CompanyReads) async throws -> Int {
        let access = try await reads.open(company, .employee(caller), role: .authorization, waitFor: nil)
        return try await reads.views.countWaiting(
            in: access.tenant.id, most: Self.most, at: reads.context.settings.now())
    }
}
