import Canonical
import Credentials
import Crypto
import FoundationEssentials
import Hogweed
import Identity
import Keys
import Ledger
import Postgres

/// What a flow is about, as found under the names that were given.
struct FlowSubject: Sendable {
    var tenantId: TenantID
    var companyName: CompanyName
    var companyEmployeeId: CompanyEmployeeID
    /// The employee of that name, when there is one.
    var employee: EmployeeID?
}

extension ServiceContext {
    /// Finds tenant and employee by claims: two keyed reads, whatever the number of employees.
    func subject(company: String, employee: String) async throws -> FlowSubject {
        var subject = try named(company: company, employee: employee)
        let claim = try await reader.claim(ring.employeeClaim(subject.companyEmployeeId, in: subject.tenantId))
        subject.employee = claim.map { EmployeeID($0.owner) }
        return subject
    }

    /// The subject as it was named, not yet looked up.
    private func named(company: String, employee: String) throws -> FlowSubject {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(employee) }
        let tenant = TenantID(ring.tenantID(companyName: name.canonical))
        return FlowSubject(tenantId: tenant, companyName: name, companyEmployeeId: id, employee: nil)
    }

    /// What ``found(_:_:opened:)`` reads; nil for names that are none.
    func readingSubject(company: String, employee: String, for app: AppCaller) -> SubjectReading? {
        (try? named(company: company, employee: employee)).map { SubjectReading($0, for: AppID(app.appId), self) }
    }

    /// The subject and its company, by one read.
    ///
    /// - Parameter reading: The statements, where they were sent already with the call's key; `opened` are their rows.
    /// - Throws: `request.invalid` for names that are none.
    func found(
        company: String, employee: String, for app: AppCaller, _ reading: SubjectReading?, opened: [[PostgresRow]]?
    ) async throws -> FoundSubject {
        let named = try named(company: company, employee: employee)
        if let reading, let opened { return try await reading.read(opened, self) }
        let fresh = SubjectReading(named, for: AppID(app.appId), self)
        let rows = try await pool.pipeline(fresh.reads.statements, in: fresh.reads.ledgers)
        return try await fresh.read(rows, self)
    }

    /// Checks the device key: 65 bytes, X9.63, on the curve.
    func employeeKey(_ bytes: [UInt8]) throws(ServiceError) -> EmployeePublicKey {
        do { return try EmployeePublicKey(bytes: bytes) } catch { throw ServiceError(.employeeKeyInvalid) }
    }

    /// What an unknown employee's credential looks like, or anybody's of a company that is hidden from an app.
    ///
    /// - Parameter keys: Its public keys, which a flow keeps from its start on.
    func decoy(
        for subject: FlowSubject, hiddenFrom app: UUID?, keys: DecoyPublicKeys? = nil, parts: Decoy.Parts = []
    ) throws -> Decoy {
        let key = try DecoyKey(bytes: ring.decoyDigest("employees", []).bytes)
        return try key.decoy(
            company: subject.companyName.canonical, employee: subject.companyEmployeeId.canonical,
            hiddenFrom: app, kdf: settings.scrypt, blindOnlyShare: settings.blindOnlyDecoys, keys: keys, parts: parts,
            generator: HogweedMultiplication())
    }

    /// A fresh challenge of a flow.
    func challenge(for state: FlowState, at time: Timestamp) throws -> [UInt8] {
        let subject = Commitment.subject(
            salt: state.subjectSalt, company: try CompanyName(state.companyName).canonical,
            employee: try CompanyEmployeeID(state.companyEmployeeId).canonical)
        let limit = min(time.adding(FlowState.challengeLifetime), state.expiresAt)
        return try Challenge(
            Challenge.Fields(
                issuer: settings.issuer, purpose: state.purpose.challenge, flow: state.id,
                nonce: randomBytes(32), tenant: state.tenantId, subject: subject, app: state.appId.lowercased,
                employeeKey: try EmployeePublicKey(kept: state.employeePublicKey),
                credential: state.namedCredentialId, expires: limit)
        ).bytes
    }
}

extension FlowPurpose {
    /// The purpose as challenges name it: what is signed for one is worth nothing for another.
    var challenge: Challenge.Purpose {
        switch self {
        case .registration: .registration
        case .login: .login
        case .change: .change
        case .recovery: .recovery
        }
    }
}

/// Random bytes of the system.
func randomBytes(_ count: Int) -> [UInt8] {
    SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
}
