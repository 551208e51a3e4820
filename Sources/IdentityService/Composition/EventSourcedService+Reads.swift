import Ledger
extension EventSourcedService {
    private var reads: CompanyReads { CompanyReads(context: context, views: views) }

    /// A company.
    public func company(_ name: String, caller: Caller, waitFor: Int64?) async throws -> CompanyView {
        try await reads.company(name, caller: caller, waitFor: waitFor)
    }

    /// The employees of a company.
    public func employees(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<EmployeeView> {
        try await reads.employees(of: company, after: after, limit: limit, caller: caller, waitFor: waitFor)
    }

    /// One employee with keys.
    public func employee(
        _ companyEmployeeId: String, of company: String, caller: Caller, waitFor: Int64?
    ) async throws -> EmployeeView {
        try await reads.employee(companyEmployeeId, of: company, caller: caller, waitFor: waitFor)
    }

    /// The security admin and the event that proves it.
    public func securityAdmin(of company: String, caller: Caller, waitFor: Int64?) async throws -> SecurityAdminView {
        try await reads.securityAdmin(of: company, caller: caller, waitFor: waitFor)
    }

    /// Keys that wait.
    public func pendingAuthorizations(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<PendingAuthorizationView> {
        try await ListPendingAuthorizations(reads: reads).run(
            company, after: after, limit: limit, caller: caller, waitFor: waitFor)
    }

    /// The events of a company.
    public func events(of company: String, _ query: EventQuery, caller: Caller) async throws -> Page<EventView> {
        try await ReadEvents(context: context).run(company, query, caller: caller)
    }

    /// The policy in force.
    public func policy(of company: String, caller: Caller) async throws -> PolicyView {
        try await ReadPolicy(context: context).run(company, caller: caller)
    }

    /// The newest anchor.
    public func anchor() async throws -> String { try await ReadAnchor(context: context).run().text }

    /// The newest checkpoint of a company's ledger.
    public func checkpoint(of company: String, caller: Caller) async throws -> String {
        try await ReadCheckpoint(context: context).run(company, caller: caller)
    }

    /// A resource of a company's ledger as a tiled log.
    public func tile(_ path: String, of company: String, caller: Caller) async throws -> [UInt8]? {
        try await ReadTile(context: context).run(path, company, caller: caller)
    }

    /// The inclusion proof of an event.
    public func proof(of position: Int64, company: String, caller: Caller) async throws -> String? {
        try await ProveEvent(context: context).run(position, company, caller: caller)
    }

    /// What keeps the service from being ready, and what does not although it should be mended.
    public func readiness() async -> ReadinessReport { await Readiness(context: context, health: health).run() }
}
