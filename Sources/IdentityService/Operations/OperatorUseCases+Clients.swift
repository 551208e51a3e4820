import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
import Keys

extension OperatorUseCases {
    /// Registers an app as a client of the OpenID provider, or replaces all that was registered.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: `app.unknown`, `company.unknown`, `request.invalid` with the place, or ``OperatorKeyError``.
    @discardableResult
    package func changeClient(appId: UUID, _ entry: ClientEntry) async throws -> Bool {
        let tenants = try await tenants(of: entry)
        let client = try parsed { () throws(ValueError) in try entry.registration(tenants) }
        return try await optimistic {
            let app = try await StateLoader(reader: context.reader).app(AppID(appId))
            let events = try await signing.decide(on: .app(app.id)) { decision in
                try App.decided(app.state, .changeClient(client, decision))
            }
            try await append(events.map(\.payload), to: .app(app.id), version: app.version)
            return !events.isEmpty
        }
    }

    /// The tenants whose people a client takes by name.
    ///
    /// - Throws: `request.invalid`, or `company.unknown` if nobody founded one of them.
    func tenants(of entry: ClientEntry) async throws -> [TenantID] {
        var tenants: [TenantID] = []
        for company in entry.tenants ?? [] {
            let name = try parsed { () throws(ValueError) in try CompanyName(company) }
            let id = TenantID(context.ring.tenantID(companyName: name.canonical))
            guard try await StateLoader(reader: context.reader).tenant(id).exists else {
                throw ServiceError(.companyUnknown)
            }
            tenants.append(id)
        }
        return tenants
    }
}
