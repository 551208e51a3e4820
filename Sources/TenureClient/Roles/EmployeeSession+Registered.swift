import Canonical
import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EmployeeSession {
    /// How many pages of the ledger are read at most: ten million events.
    private static let maximumPages = 1_000

    /// The id under which the company's ledger has an employee: what a statement about them has to name.
    ///
    /// It is read from the event that registered them, because no other read shows it, and it is the service's word like
    /// every read; but a service has to say the same twice then, of the name and of what is signed. A ledger of ten thousand
    /// events is one request.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` when the ledger has nobody of that
    ///   name: there is nothing then that a statement could be compared with.
    func registeredId(of companyEmployeeId: String) async throws -> UUID {
        let company = account.companyName
        let wanted = client.account(companyName: company, companyEmployeeId: companyEmployeeId)
        var after: Int64?
        for _ in 0..<Self.maximumPages {
            let cursor = after
            let page = try await withAuthority { authority in
                try await client.events(
                    of: company, after: cursor, type: "EmployeeRegistered", employee: companyEmployeeId, as: authority)
            }
            for event in page.items where event.type == "EmployeeRegistered" {
                guard var reader = try? ObjectReader(event.data), let id = try? reader.uuid("employeeId"),
                    let name = try? reader.string("companyEmployeeId"),
                    client.account(companyName: company, companyEmployeeId: name) == wanted
                else { continue }
                return id
            }
            guard let next = page.next else { throw TenureClientError(.signingRefused) }
            guard next > after ?? 0 else { throw TenureClientError(.responseInvalid) }
            after = next
        }
        throw TenureClientError(.responseInvalid)
    }
}
