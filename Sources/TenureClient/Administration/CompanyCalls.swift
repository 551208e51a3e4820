public import TenureAPI

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TenureClient {
    private func waiting(_ position: Int64?) -> [String: String] {
        position.map { [HeaderName.waitFor: String($0)] } ?? [:]
    }

    private func cursor(_ after: Int64?, _ limit: Int?) -> [(String, String)] {
        [("after", after.map { String($0) }), ("limit", limit.map { String($0) })].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    /// Reads a tenant. With `waitFor`, waits until the read model has reached that position, for example that of a
    /// decision.
    ///
    /// - Throws: ``TenureClientError``, for example `company.unknown` or `app.not_linked`.
    public func company(
        _ name: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> CompanyResponse {
        try await call(.readCompany, ["companyName": name], headers: waiting(waitFor), as: authority)
    }

    /// Lists one page of the tenants that the app is linked to. `after` is the `next` of the previous page.
    ///
    /// - Throws: ``TenureClientError``, for example `app.role_missing`.
    public func companies(
        after: Int64? = nil, limit: Int? = nil
    ) async throws -> PageResponse<LinkedCompanyResponse> {
        try await call(.listCompanies, [:], query: cursor(after, limit), as: .app)
    }

    /// Finds an employee by the permanent id, which access tokens name as `sub`; `nil` if the tenant has none.
    ///
    /// ```swift
    /// let caller = try await verifier.verify(authorization: request.headers[.authorization])
    /// let person = try await tenure.employee(id: caller.subject, of: "acme.example")
    /// ```
    ///
    /// - Throws: ``TenureClientError``, for example `company.unknown`.
    public func employee(
        id: UUID, of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> EmployeeResponse? {
        try await employees(matching: ("employeeId", id.uuidString.lowercased()), of: company, authority, waitFor).first
    }

    /// Finds the employees of the person who holds an address; none if the tenant has none.
    ///
    /// - Throws: ``TenureClientError``, for example `email.invalid`.
    public func employees(
        email: String, of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> [EmployeeResponse] {
        try await employees(matching: ("email", email), of: company, authority, waitFor)
    }

    private func employees(
        matching choice: (String, String), of company: String, _ authority: Authority, _ waitFor: Int64?
    ) async throws -> [EmployeeResponse] {
        let page: PageResponse<EmployeeResponse> = try await call(
            .listEmployees, ["companyName": company], query: [choice], headers: waiting(waitFor), as: authority)
        return page.items
    }

    /// Lists one page of a tenant's employees, oldest first. `after` is the `next` of the previous page.
    ///
    /// - Throws: ``TenureClientError``, for example `company.unknown` or `authorization.not_permitted`.
    public func employees(
        of company: String, after: Int64? = nil, limit: Int? = nil, as authority: Authority = .app,
        waitFor: Int64? = nil
    ) async throws -> PageResponse<EmployeeResponse> {
        try await call(
            .listEmployees, ["companyName": company], query: cursor(after, limit), headers: waiting(waitFor),
            as: authority)
    }

    /// Reads one employee with their device keys.
    ///
    /// - Throws: ``TenureClientError``, for example `employee.unknown`.
    public func employee(
        _ companyEmployeeId: String, of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> EmployeeResponse {
        try await call(
            .readEmployee, ["companyName": company, "companyEmployeeId": companyEmployeeId],
            headers: waiting(waitFor), as: authority)
    }

    /// Reads the security admin and the event that proves the role.
    ///
    /// - Throws: ``TenureClientError``, for example `company.unknown`.
    public func securityAdmin(
        of company: String, as authority: Authority = .app, waitFor: Int64? = nil
    ) async throws -> SecurityAdminResponse {
        try await call(.readSecurityAdmin, ["companyName": company], headers: waiting(waitFor), as: authority)
    }

    /// Lists one page of the tenant's pending device keys.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func pendingAuthorizations(
        of company: String, after: Int64? = nil, limit: Int? = nil, as authority: Authority = .app,
        waitFor: Int64? = nil
    ) async throws -> PageResponse<PendingAuthorizationResponse> {
        try await call(
            .listAuthorizations, ["companyName": company], query: cursor(after, limit), headers: waiting(waitFor),
            as: authority)
    }

    /// Lists one page of the tenant's events.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func events(
        of company: String, after: Int64? = nil, limit: Int? = nil, type: String? = nil, employee: String? = nil,
        as authority: Authority = .app
    ) async throws -> PageResponse<EventResponse> {
        var query = cursor(after, limit)
        if let type { query.append(("type", type)) }
        if let employee { query.append(("employee", employee)) }
        return try await call(.listEvents, ["companyName": company], query: query, as: authority)
    }

    /// Reads the tenant's policy with the authority of an employee.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func policy(of company: String, as authority: Authority) async throws -> PolicyResponse {
        try await call(.readPolicy, ["companyName": company], as: authority)
    }
}
