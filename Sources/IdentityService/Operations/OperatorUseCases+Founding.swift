package import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys

extension OperatorUseCases {
    /// Makes the code with which somebody founds a tenant on the hosted pages. It needs no signature: it decides
    /// nothing about a tenant that exists, and whoever may make it holds the master keys.
    ///
    /// - Parameter lifetime: How long the code is valid.
    /// - Returns: The code, and when it expires.
    /// - Throws: ``ServiceError``: `company.already_founded`, or `company.name_missing` and `request.invalid` for a
    ///   name that no tenant can have. Anything else is a lost database.
    package func foundingCode(
        for company: String, lifetime: Duration
    ) async throws -> (code: String, expiresAt: Timestamp) {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
        guard try await !StateLoader(reader: context.reader).tenant(tenant).exists else {
            throw ServiceError(.companyAlreadyFounded)
        }
        let end = context.settings.now().adding(lifetime)
        return (FoundingCode(for: tenant, until: end, ring: context.ring).text, end)
    }

    /// Confirms the address that a mailed link is about. Does nothing for a link of another kind.
    package func confirmAddress(byLink link: String) async throws {
        guard let parts = URLComponents(string: link), let user = parts.path.split(separator: "/").last else { return }
        let query = Dictionary(
            (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
        let confirmation = ConfirmEmail(
            user: String(user), expires: query["expires"] ?? "", key: query["key"] ?? "", isDecision: true)
        _ = try await context.run(confirmation, Call(requestId: "demo", time: context.settings.now()))
    }
}
