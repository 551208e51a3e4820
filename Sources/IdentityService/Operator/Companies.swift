import Canonical
public import FoundationEssentials
import Identity
import Keys
import Ledger

extension OperatorCommands {
    /// Confirms that a company controls the domain that is its name; twice is the same as once.
    public func confirmDomain(company: String) async throws {
        try await decide(company) { name in .confirmDomain(name, Tenant.Decision(caller: .operator)) }
    }

    /// Links an app to a company, or unlinks it.
    public func linkApp(_ appId: UUID, to company: String, linked: Bool = true) async throws {
        guard try await StateLoader(reader: context.reader).app(AppID(appId)).state.id != nil else {
            throw ServiceError(.appUnknown)
        }
        let decision = Tenant.Decision(caller: .operator)
        try await decide(company) { _ in
            linked ? .linkApp(AppID(appId), decision) : .unlinkApp(AppID(appId), decision)
        }
    }

    /// The apps by their events; the operator's list is short.
    public func apps() async throws -> [AppView] {
        var apps: [AppID] = []
        var after: Int64 = 0
        while true {
            let page = try await context.reader.ledger(.system, after: after, limit: 500, types: [AppRegistered.type])
            apps += page.events.map { AppID($0.stream.id) }
            after = page.cursor
            guard page.hasMore else { break }
        }
        var views: [AppView] = []
        for id in apps {
            let state = try await StateLoader(reader: context.reader).app(id).state
            let secrets = state.secrets.values.filter { !$0.isRevoked }.sorted {
                $0.issued.position < $1.issued.position
            }
            views.append(
                AppView(
                    appId: id.uuid, name: state.name ?? "",
                    secrets: secrets.map { ($0.id.uuid, $0.roles.names) }))
        }
        return views
    }

    private func decide(_ company: String, _ command: (CompanyName) -> Tenant.Command) async throws {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        try await optimistic {
            let id = TenantID(context.ring.tenantID(companyName: name.canonical))
            let tenant = try await StateLoader(reader: context.reader).tenant(id)
            guard tenant.exists else { throw ServiceError(.companyUnknown) }
            let events = try decided { () throws(Tenant.Rejection) in
                try Tenant.decide(tenant.state, command(name))
            }
            try await append(events.map(\.payload), to: .tenant(id), version: tenant.version)
        }
    }
}
