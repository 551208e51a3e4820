import Canonical
import EventCoding
package import FoundationEssentials
import Identity
package import Keys
import Ledger
import Postgres
import TenureAPI

/// The people that an erasure would affect.
package struct ErasurePlan: Sendable {
    /// A person whose key would be destroyed.
    package struct Person: Sendable {
        /// A user, an employee of one tenant, or an M-Pin identity or activation code of one.
        package let kind: ErasureList.Entry.Kind
        /// The ledger of the key: the user's directory or the tenant's ledger.
        package let ledger: UUID
        /// The id of the person and of the key.
        package let id: UUID
        /// The e-mail, the employee id or the user id of M-Pin; `nil` if the key is destroyed already.
        package let name: String?
        /// The tenant; `nil` for a user.
        package let company: String?
        /// Whether the employee is the tenant's security admin.
        package let isSecurityAdmin: Bool
        /// Whether the log already records the erasure.
        package let isErased: Bool
    }

    /// The user, if the plan is about one, followed by the employees, each with the linked M-Pin identities.
    package let people: [Person]

    /// The text to type for confirmation: the name of the first person, or the id if the name is erased.
    package var confirmation: String { people.first.map { $0.name ?? $0.id.lowercased } ?? "" }
    /// The tenants that would be left without a security admin.
    package var orphanedCompanies: [String] {
        people.filter { $0.isSecurityAdmin && !$0.isErased }.map { $0.company ?? "" }
    }
}

/// Finds the people to erase, without changing anything.
extension Erasure {
    /// Plans the erasure of one employee of a tenant. The person's accounts in other tenants are not affected.
    ///
    /// - Throws: ``ErasureError/Code/employeeUnknown``, and ``ServiceError`` for malformed names.
    package func plan(company: String, employee: String) async throws -> ErasurePlan {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(employee) }
        let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
        guard let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: tenant)),
            let person = try await person(EmployeeID(claim.owner), in: tenant)
        else { throw ErasureError(code: .employeeUnknown) }
        return ErasurePlan(people: [person] + (try await linkedIdentities(of: EmployeeID(claim.owner), in: tenant)))
    }

    /// Plans the erasure of a user, found by e-mail, with all their employees.
    ///
    /// - Throws: ``ErasureError/Code/userUnknown``, and ``ServiceError`` for a malformed e-mail.
    package func plan(email: String) async throws -> ErasurePlan {
        let address = try parsed { () throws(ValueError) in try EmailAddress(email) }
        guard let holder = try await AddressHolders(context: context).holder(of: address) else {
            throw ErasureError(code: .userUnknown)
        }
        return try await plan(user: holder.uuid)
    }

    /// Plans the erasure of a user with all their employees.
    ///
    /// - Throws: ``ErasureError/Code/userUnknown``.
    package func plan(user id: UUID) async throws -> ErasurePlan {
        let user = UserID(id)
        let snapshot = try await StateLoader(reader: context.reader).user(user)
        guard snapshot.state.id != nil else { throw ErasureError(code: .userUnknown) }
        let ledger = LedgerID.directory(of: user)
        var people = [
            ErasurePlan.Person(
                kind: .user, ledger: ledger.uuid, id: id, name: try await email(of: user)?.text, company: nil,
                isSecurityAdmin: false, isErased: snapshot.state.isErased)
        ]
        for (tenant, employee) in try await employees(of: user) {
            guard let person = try await person(employee, in: tenant) else { continue }
            people += [person] + (try await linkedIdentities(of: employee, in: tenant))
        }
        return ErasurePlan(people: people)
    }

    /// The user's employees in all tenants who are not erased, from their member claims, all of which only the reader
    /// role sees. The query reads the whole index of these claims, which is acceptable for a rare operation.
    func employees(of user: UserID) async throws -> [(TenantID, EmployeeID)] {
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT \(ClaimsQuery.columns) FROM tenure.claim WHERE kind = 'member' AND owner = \(user.uuid)
                ORDER BY ledger_id, key
                """)
        }
        return try rows.compactMap { row in
            let claim = try ClaimsQuery.claim(row)
            guard context.rows.accepts(claim), let employee = claim.value.flatMap({ UUID(bytes: $0) }) else {
                return nil
            }
            return (TenantID(claim.key.ledger.uuid), EmployeeID(employee))
        }
    }

    /// The user's address, decrypted while the key exists; `nil` if it was released or erased.
    func email(of user: UserID) async throws -> Personal? {
        let stream = StreamID.user(user)
        let keys = try await context.personKeys.load([user.uuid], ledger: stream.ledger.uuid)
        let events = try await context.reader.streams([stream])[stream] ?? []
        return User.fold(try events.map { try EventCodec.decode($0, keys: keys) }).email
    }

    private func linkedIdentities(of employee: EmployeeID, in tenant: TenantID) async throws -> [ErasurePlan.Person] {
        var people: [ErasurePlan.Person] = []
        for id in try await context.mpinIdentities(linkedTo: employee, in: tenant) {
            if let person = try await mpinPerson(id.uuid, in: tenant) { people.append(person) }
        }
        return people
    }

    private func person(_ id: EmployeeID, in tenant: TenantID) async throws -> ErasurePlan.Person? {
        let loader = StateLoader(reader: context.reader)
        let employee = try await loader.employee(id, in: tenant)
        guard let account = employee.state.account else { return nil }
        let company = try await loader.tenant(tenant)
        let summary = try await context.summary(of: employee, in: company)
        return ErasurePlan.Person(
            kind: .employee, ledger: tenant.uuid, id: id.uuid, name: summary.companyEmployeeId,
            company: summary.companyName, isSecurityAdmin: company.state.role(of: id) == .securityAdmin,
            isErased: account.isErased)
    }
}
