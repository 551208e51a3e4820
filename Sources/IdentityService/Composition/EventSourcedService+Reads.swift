extension EventSourcedService {
    private var reads: CompanyReads { CompanyReads(context: context, views: views) }

    public func company(_ name: String, caller: Caller, waitFor: Int64?) async throws -> CompanyView {
        try await reads.company(name, caller: caller, waitFor: waitFor)
    }

    public func employees(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<EmployeeView> {
        try await reads.employees(of: company, after: after, limit: limit, caller: caller, waitFor: waitFor)
    }

    public func employee(
        _ companyEmployeeId: String, of company: String, caller: Caller, waitFor: Int64?
    ) async throws -> EmployeeView {
        try await reads.employee(companyEmployeeId, of: company, caller: caller, waitFor: waitFor)
    }

    public func securityAdmin(of company: String, caller: Caller, waitFor: Int64?) async throws -> SecurityAdminView {
        try await reads.securityAdmin(of: company, caller: caller, waitFor: waitFor)
    }

    public func pendingAuthorizations(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<PendingAuthorizationView> {
        try await ListPendingAuthorizations(reads: reads).run(
            company, after: after, limit: limit, caller: caller, waitFor: waitFor)
    }

    public func events(of company: String, _ query: EventQuery, caller: Caller) async throws -> Page<EventView> {
        try await ReadEvents(context: context).run(company, query, caller: caller)
    }

    public func policy(of company: String, caller: Caller) async throws -> PolicyView {
        try await ReadPolicy(context: context).run(company, caller: caller)
    }

    public func readiness() async -> [String] { await Readiness(context: context).run() }
}
