public import TenureAPI

extension TenureClient {
    private func waiting(_ position: Int64?) -> [String: String] {
        position.map { [HeaderName.waitFor: String($0)] } ?? [:]
    }

    private func cursor(_ after: Int64?, _ limit: Int?) -> [(String, String)] {
        [("after", after.map { String($0) }), ("limit", limit.map { String($0) })].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    /// Reads a company; `waitFor` is a position that the views must have reached.
    public func company(
        _ name: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> CompanyResponse {
        try await call(.readCompany, ["companyName": name], headers: waiting(waitFor), as: authority)
    }

    /// A page of employees, oldest first.
    public func employees(
        of company: String, after: Int64? = nil, limit: Int? = nil, as authority: Authority = .app,
        waitFor: Int64? = nil
    ) async throws -> PageResponse<EmployeeResponse> {
        try await call(
            .listEmployees, ["companyName": company], query: cursor(after, limit), headers: waiting(waitFor),
            as: authority)
    }

    /// One employee with the device keys.
    public func employee(
        _ companyEmployeeId: String, of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> EmployeeResponse {
        try await call(
            .readEmployee, ["companyName": company, "companyEmployeeId": companyEmployeeId],
            headers: waiting(waitFor), as: authority)
    }

    /// The security admin and the event that proves it.
    public func securityAdmin(
        of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> SecurityAdminResponse {
        try await call(.readSecurityAdmin, ["companyName": company], headers: waiting(waitFor), as: authority)
    }

    /// A page of keys that wait.
    public func pendingAuthorizations(
        of company: String, after: Int64? = nil, limit: Int? = nil, as authority: Authority = .app,
        waitFor: Int64? = nil
    ) async throws -> PageResponse<PendingAuthorizationResponse> {
        try await call(
            .listAuthorizations, ["companyName": company], query: cursor(after, limit), headers: waiting(waitFor),
            as: authority)
    }

    /// A page of events.
    public func events(
        of company: String, after: Int64? = nil, limit: Int? = nil, type: String? = nil, employee: String? = nil,
        as authority: Authority = .app
    ) async throws -> PageResponse<EventResponse> {
        var query = cursor(after, limit)
        if let type { query.append(("type", type)) }
        if let employee { query.append(("employee", employee)) }
        return try await call(.listEvents, ["companyName": company], query: query, as: authority)
    }

    /// The policy.
    public func policy(of company: String, as authority: Authority = .app) async throws -> PolicyResponse {
        try await call(.readPolicy, ["companyName": company], as: authority)
    }
}
