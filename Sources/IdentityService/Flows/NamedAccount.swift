import Canonical
import Credentials
import Crypto
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The account that a flow is about, as found under the given names.
struct NamedAccount: Sendable {
    var tenantId: TenantID
    var companyName: CompanyName
    var companyEmployeeId: CompanyEmployeeID
    /// The employee of that name, if there is one.
    var employee: EmployeeID?
}

extension ServiceContext {
    /// Finds tenant and employee by their claims: two keyed reads, whatever the number of employees.
    func subject(company: String, employee: String) async throws -> NamedAccount {
        var subject = try named(company: company, employee: employee)
        let claim = try await reader.claim(ring.employeeClaim(subject.companyEmployeeId, in: subject.tenantId))
        subject.employee = claim.map { EmployeeID($0.owner) }
        return subject
    }

    /// The account as it was named, not yet looked up.
    private func named(company: String, employee: String) throws -> NamedAccount {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(employee) }
        let tenant = TenantID(ring.tenantID(companyName: name.canonical))
        return NamedAccount(tenantId: tenant, companyName: name, companyEmployeeId: id, employee: nil)
    }

    /// The statements that ``found(company:employee:_:)`` sends, or `nil` for malformed names.
    func readingSubject(company: String, employee: String) -> SubjectReading? {
        (try? named(company: company, employee: employee)).map { SubjectReading($0, self) }
    }

    /// Finds the account and its tenant with one read.
    ///
    /// - Parameter rows: The rows of ``readingSubject(company:employee:)``, if they were already read with the call's
    ///   `Idempotency-Key`.
    /// - Throws: `request.invalid` for malformed names.
    func found(company: String, employee: String, _ rows: PipelinedRows?) async throws -> FoundSubject {
        let reading = SubjectReading(try named(company: company, employee: employee), self)
        if let rows { return try reading.read(rows) }
        return try reading.read(try await pool.pipeline(reading.reads))
    }

    /// Checks a device key: 65 bytes, X9.63, on the curve.
    ///
    /// - Throws: `employee.key_invalid`.
    func employeeKey(_ bytes: [UInt8]) throws(ServiceError) -> EmployeePublicKey {
        do {
            let key = try EmployeePublicKey(bytes: bytes)
            guard key.algorithm == .es256 else { throw CredentialsError(.keyInvalid) }
            return key
        } catch {
            throw ServiceError(.employeeKeyInvalid, members: [KeyFault(bytes).member])
        }
    }

    /// The decoy for an unknown employee, or for any employee of a tenant that is hidden from an app.
    ///
    /// - Parameter keys: Its public keys, which a flow keeps from its start on.
    func decoy(
        for subject: NamedAccount, hiddenFrom app: UUID?, keys: DecoyPublicKeys? = nil, parts: Decoy.Parts = []
    ) throws -> Decoy {
        let key = try DecoyKey(bytes: ring.decoyDigest("employees", []).bytes)
        return try key.decoy(
            company: subject.companyName.canonical, employee: subject.companyEmployeeId.canonical,
            hiddenFrom: app, kdf: settings.scrypt, blindOnlyShare: settings.blindOnlyDecoys, keys: keys, parts: parts)
    }

    /// The decoy for an address that nobody holds. It has a root of its own, which no employee's decoy has.
    ///
    /// - Parameter keys: Its public keys, which a flow keeps from its start on.
    func decoy(
        for address: EmailAddress, keys: DecoyPublicKeys? = nil, parts: Decoy.Parts = []
    ) throws -> Decoy {
        let key = try DecoyKey(bytes: ring.decoyDigest("addresses", []).bytes)
        return try key.decoy(
            company: [], employee: address.key, kdf: settings.scrypt, blindOnlyShare: settings.blindOnlyDecoys,
            keys: keys, parts: parts)
    }

    /// A fresh challenge of a flow.
    func challenge(for state: FlowState, at time: Timestamp) throws -> [UInt8] {
        if let login = state.address { return try challenge(of: login, for: state, at: time) }
        let subject = Commitment.subject(
            salt: state.subjectSalt, company: try CompanyName(state.companyName).canonical,
            employee: try CompanyEmployeeID(state.companyEmployeeId).canonical)
        let limit = min(time.adding(FlowState.challengeLifetime), state.expiresAt)
        return try Challenge(
            Challenge.Fields(
                issuer: settings.issuer, purpose: state.purpose.kind.challenge, flow: state.id,
                nonce: randomBytes(32), tenant: state.tenantId, subject: subject, app: state.appId.lowercased,
                employeeKey: try EmployeePublicKey(kept: state.employeePublicKey),
                credential: state.namedCredentialId, expires: limit)
        ).bytes
    }
}

extension ServiceContext {
    /// A fresh challenge of a log-in by an address, which names no tenant.
    private func challenge(of login: AddressLogin, for state: FlowState, at time: Timestamp) throws -> [UInt8] {
        let address = try EmailAddress(recorded: login.address)
        return try AddressChallenge(
            AddressChallenge.Fields(
                issuer: settings.issuer, flow: state.id, nonce: randomBytes(32),
                subject: .address(salt: state.subjectSalt, address.canonical), app: state.appId.lowercased,
                employeeKey: try EmployeePublicKey(kept: state.employeePublicKey), credential: state.credentialId,
                expires: min(time.adding(FlowState.challengeLifetime), state.expiresAt))
        ).bytes
    }
}

/// Random bytes of the system.
package func randomBytes(_ count: Int) -> [UInt8] {
    unsafe SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { unsafe Array($0) }
}

/// The statements that find a flow's account and tenant. They are sent with the call's `Idempotency-Key`.
struct SubjectReading: Sendable {
    let subject: NamedAccount
    let reads: PipelinedReads
    private let rows: RowAuthentication
    private let codes: EventCodes
    private let claims: (query: ClaimsQuery, place: PipelinedReads.Handle)
    private let company: (query: StreamsQuery, place: PipelinedReads.Handle)

    /// The statements for an account that is not looked up yet.
    init(_ subject: NamedAccount, _ context: ServiceContext) {
        self.subject = subject
        rows = context.rows
        codes = context.reader.codes
        let id = subject.tenantId
        let claims = ClaimsQuery([context.ring.employeeClaim(subject.companyEmployeeId, in: id)])
        let company = StateLoader.tenantQuery(id)
        var reads = PipelinedReads(in: [LedgerID(id.uuid)])
        self.claims = (query: claims, place: reads.add(claims.sql))
        self.company = (query: company, place: reads.add(company.sql))
        self.reads = reads
    }

    /// Reads the rows of ``reads``.
    ///
    /// - Throws: `service.unavailable` if the rows are not those of these statements.
    func read(_ found: PipelinedRows) throws -> FoundSubject {
        var subject = subject
        let claim = try claims.query.read(found.of(claims.place)).first { rows.accepts($0) }
        subject.employee = claim.map { EmployeeID($0.owner) }
        let id = subject.tenantId, read = try company.query.read(found.of(company.place), codes)
        let tenant = try StateLoader.tenant(id, read.founding, read.streams[.tenant(id)] ?? [])
        return FoundSubject(subject: subject, tenant: tenant)
    }
}

/// The account that a flow is about, and its tenant.
struct FoundSubject: Sendable {
    var subject: NamedAccount
    var tenant: TenantSnapshot
}
