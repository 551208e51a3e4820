import Credentials

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whose statement this device would sign, and for which company.
struct PinnedCompany: Sendable {
    /// The id that is pinned; `nil` on a device that has pinned nothing of the account, as at its first use.
    private let tenant: UUID?

    /// Reads what is pinned for an account.
    init(of account: AccountName, on client: TenureClient) async throws {
        tenant = try await client.pinStore.pin(
            of: try PinnedAccount(
                baseURL: client.baseURL, company: account.companyName, employee: account.companyEmployeeId))?.tenant
    }

    /// Whether a statement with this context is for the company, and for this key to sign.
    func permits(_ context: StatementContext, signedBy key: EmployeePublicKey) -> Bool {
        context.signer.bytes == key.bytes && (tenant == nil || context.tenant == tenant)
    }
}
