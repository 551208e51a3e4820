import Canonical
public import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// Finding who is meant, without changing anything.
extension Erasure {
    /// One employee of a company; the same human's accounts elsewhere are not touched.
    ///
    /// - Throws: ``ErasureError/Code/employeeUnknown``, and `ServiceError` for names that are none.
    public func plan(company: String, employee: String) async throws -> ErasurePlan {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(employee) }
        let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
        guard let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: tenant)),
            let person = try await person(EmployeeID(claim.owner), in: tenant)
        else { throw ErasureError(code: .employeeUnknown) }
        return ErasurePlan(people: [person])
    }

    /// A user and all employees of that user, found by the e-mail.
    ///
    /// - Throws: ``ErasureError/Code/userUnknown``, and `ServiceError` for what is no e-mail.
    public func plan(email: String) async throws -> ErasurePlan {
        let address = try parsed { () throws(ValueError) in try EmailAddress(email) }
        guard let claim = try await context.reader.claim(context.ring.emailClaim(address)) else {
            throw ErasureError(code: .userUnknown)
        }
        return try await plan(user: claim.owner)
    }

    /// A user and all employees of that user.
    ///
    /// - Throws: ``ErasureError/Code/userUnknown``.
    public func plan(user id: UUID) async throws -> ErasurePlan {
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
            if let person = try await person(employee, in: tenant) { people.append(person) }
        }
        return ErasurePlan(people: people)
    }

    /// The employees of a user in all companies who are not erased: their member claims, which only the reader sees
    /// all of. It reads the whole index of such claims, which is right for something as rare as this.
    func employees(of user: UserID) async throws -> [(TenantID, EmployeeID)] {
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT ledger_id, value FROM tenure.claim WHERE kind = 'member' AND owner = \(user.uuid)
                ORDER BY ledger_id, key
                """)
        }
        return try rows.compactMap { row in
            let (ledger, value) = try row.decode(UUID.self, [UInt8].self)
            return UUID(bytes: value).map { (TenantID(ledger), EmployeeID($0)) }
        }
    }

    /// The address that a user has, opened while there is a key; nil when it was taken away or erased.
    func email(of user: UserID) async throws -> Personal? {
        let stream = StreamID.user(user)
        let keys = try await context.personKeys.load([user.uuid], ledger: stream.ledger.uuid)
        let events = try await context.reader.streams([stream])[stream] ?? []
        return User.fold(try events.map { try EventCodec.decode($0, keys: keys) }).email
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
