import Canonical
import EventCoding
import FoundationEssentials
import Identity
package import IdentityService
import Keys
import Projections
package import TenureAPI

/// Lists the M-Pin identities of a tenant, oldest first, ended ones among them.
package struct ListMPinIdentities: ProjectionRead {
    package let company: String
    package let page: PageRequest
    package let caller: Caller
    package let waitFor: Int64?

    package init(company: String, _ page: PageRequest, caller: Caller, waitFor: Int64? = nil) {
        self.company = company
        self.page = page
        self.caller = caller
        self.waitFor = waitFor
    }

    package func run(_ reads: CompanyReads) async throws -> PageResponse<MPinIdentityResponse> {
        let access = try await reads.open(company, caller, role: .access, waitFor: waitFor)
        let tenant = access.tenant.id, now = reads.context.settings.now()
        let entries = try await reads.views.mpinIdentities(in: tenant, after: page.after, limit: page.limit + 1)
        let shown = entries.prefix(page.limit)
        let owners = shown.flatMap { [$0.identity.id.uuid, $0.employee?.id.uuid].compactMap(\.self) }
        let keys = try await reads.context.personKeys.load(Array(Set(owners)), ledger: tenant.uuid)
        let items = try shown.map { entry in
            let row = entry.identity
            return MPinIdentityResponse(
                identityId: row.id.uuid, userId: try row.userID.open(with: keys, in: tenant.uuid),
                deviceName: try row.deviceName?.open(with: keys, in: tenant.uuid), status: row.statusName(at: now),
                verification: row.verification.rawValue, startedAt: row.startedAt, expiresAt: row.expiresAt,
                companyEmployeeId: try entry.employee?.companyEmployeeID.open(with: keys, in: tenant.uuid),
                failures: Int64(row.failures), endReason: row.endReason)
        }
        return PageResponse(items: items, next: entries.count > page.limit ? shown.last?.identity.startedPosition : nil)
    }
}
