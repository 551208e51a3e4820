import Canonical
public import TenureAPI

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension EmployeeSession {
    /// Lists what clients got by this employee's log-ins with OpenID Connect: the open grants, the newest first.
    ///
    /// - Throws: ``TenureClientError``, for example with ``TenureClientError/Code/notLoggedIn``.
    public func grants() async throws -> [GrantResponse] {
        try await withAuthority { authority in
            try await client.call(.listGrants, as: authority, PageResponse<GrantResponse>.self).items
        }
    }

    /// Ends a grant of this employee; the client's tokens end at once. Does nothing if it has ended.
    ///
    /// - Throws: ``TenureClientError``, for example with ``TenureClientError/Code/notLoggedIn``.
    public func endGrant(_ grantId: UUID) async throws {
        try await withAuthority { authority in
            _ = try await client.send(.endGrant, ["grantId": grantId.lowercased], as: authority)
        }
    }

    /// Lists the open grants of an employee of this employee's tenant. For admins.
    ///
    /// - Throws: ``TenureClientError``, for example `employee.unknown`.
    public func grants(of companyEmployeeId: String) async throws -> [GrantResponse] {
        let company = account.companyName
        return try await withAuthority { authority in
            try await client.grants(of: companyEmployeeId, at: company, as: authority)
        }
    }
}

extension TenureClient {
    /// Lists the open grants of the access token's employee.
    ///
    /// - Throws: ``TenureClientError``, for example `session.invalid`.
    public func grants(accessToken: String) async throws -> [GrantResponse] {
        try await call(
            .listGrants, as: .employee(accessToken: accessToken), PageResponse<GrantResponse>.self
        ).items
    }

    /// Ends a grant of the access token's employee.
    ///
    /// - Throws: ``TenureClientError``, for example `session.invalid`.
    public func endGrant(_ grantId: UUID, accessToken: String) async throws {
        try await send(.endGrant, ["grantId": grantId.lowercased], as: .employee(accessToken: accessToken))
    }

    /// Lists the open grants of an employee.
    ///
    /// - Throws: ``TenureClientError``, for example `employee.unknown`.
    public func grants(
        of companyEmployeeId: String, at company: String, as authority: Authority = .app
    ) async throws -> [GrantResponse] {
        try await call(
            .listEmployeeGrants, ["companyName": company, "companyEmployeeId": companyEmployeeId], as: authority,
            PageResponse<GrantResponse>.self
        ).items
    }
}
