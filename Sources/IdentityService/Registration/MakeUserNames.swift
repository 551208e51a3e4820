import Canonical
import ErrorCodes
import EventCoding
import Identity
import Keys
import Ledger
import TenureAPI

/// Makes user names for the addresses that an admin invites on a page.
package struct MakeUserNames: UseCase, Redacted {
    /// How often two digits are drawn for a name that is taken.
    private static let mostDraws = 20

    package let company: String
    /// The addresses.
    package let addresses: [String]
    /// The names that are taken on the page already.
    package let others: Set<String>
    /// The admin.
    package let caller: EmployeeCaller

    package init(company: String, addresses: [String], others: Set<String>, caller: EmployeeCaller) {
        self.company = company
        self.addresses = addresses
        self.others = others
        self.caller = caller
    }

    /// Returns a name for each address, which nobody in the tenant has; `nil` where the admin has to choose one.
    ///
    /// - Throws: The refusals of an invitation, and `email.invalid` for what is no address.
    package func run(_ run: UseCaseRun<[String?]>) async throws -> [String?] {
        let context = run.context
        let access = try await context.access(company, .employee(caller), role: .administration)
        try access.require(.issueInvitation, about: .newcomer)
        var taken = others, made: [String?] = []
        for text in addresses {
            let address = try parsed { () throws(ValueError) in try EmailAddress(text) }
            let name = try await name(from: address, taken, access, context)
            if let name { taken.insert(name) }
            made.append(name)
        }
        return made
    }

    private func name(
        from address: EmailAddress, _ taken: Set<String>, _ access: CompanyAccess, _ context: ServiceContext
    ) async throws -> String? {
        guard let made = UserName(from: address) else { return nil }
        var name = made.text
        for _ in 0..<Self.mostDraws {
            let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(name) }
            let claim = context.ring.employeeClaim(id, in: access.tenant.id)
            if !taken.contains(name), try await context.reader.claim(claim) == nil { return name }
            name = made.numbered(randomBytes(1)[0])
        }
        return nil
    }
}
