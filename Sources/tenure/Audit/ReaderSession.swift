import ArgumentParser
import Canonical
import EventCoding
import FoundationEssentials
import Identity
import IdentityService
import Keys
import Ledger
import Logging
import Postgres

/// The resources of a command that reads the whole log, running for the duration of the command.
struct ReaderSession: Sendable {
    /// The connections with the reader role.
    let pool: PostgresPool
    /// The keys of persons; `nil` without a master key file. Personal data then stays encrypted.
    let keys: PersonKeys?
    /// The keys that map names to ids; `nil` without a master key file.
    let ring: KeyRing?
    /// What the codes of events are checked with: nothing without a master key file.
    let codes: EventCodes
    let logger: Logger

    /// Reads ledgers. Stored tiles count with the master keys only; without them roots are computed from the events.
    var reader: LedgerReader {
        let reader = LedgerReader(pool: pool, codes: codes, storesTiles: false)
        return ring.map { reader.using(TileCodes($0, logger: logger)) } ?? reader
    }

    private static let hint = "For the service of make run: . .tenure/dev.env"

    /// Runs `body` with the reader role until it ends or a signal stops it.
    static func run<Result: Sendable>(
        _ settings: Settings, maximumConnections: Int = 6,
        _ body: @Sendable @escaping (ReaderSession) async throws -> Result
    ) async throws -> Result {
        _ = try settings.required(.readerDatabaseUrl, remedy: hint)
        let hasKeys = settings.text(.masterKeyFile) != nil || settings.text(.masterKeys) != nil
        let masters = hasKeys ? try settings.masterKeyStore() : nil
        let logger = try Logs.logger(settings, default: .warning)
        return try await Interruption.stopping {
            try await CommandDatabase.with(
                .readerDatabaseUrl, settings, maximumConnections: maximumConnections, remedy: hint
            ) { pool in
                try await DatabaseRole.reader.check(pool)
                let ring: KeyRing? =
                    if let masters { try await KeyRing.stored(in: pool, masters: masters) } else { nil }
                guard masters == nil || ring != nil else {
                    throw CommandFailure(
                        .failure, "the keys of this version are not made yet",
                        remedy: "Start the service, which makes them, then repeat.")
                }
                let codes: EventCodes =
                    if let ring { EventCodes(ring) } else {
                        .unchecked(disowned: try await DisownEntries.sealed(in: pool))
                    }
                let session = ReaderSession(
                    pool: pool, keys: masters.map { PersonKeys(pool: pool, masters: $0) }, ring: ring, codes: codes,
                    logger: logger)
                if ring != nil { try await session.reader.refreshDisowned() }
                return try await body(session)
            }
        }
    }

    /// Returns the tenant of a name. Only its ledger tells whether the tenant was founded.
    func tenant(_ name: String) throws -> TenantID {
        guard let ring else {
            throw CommandFailure(
                .usage, "finding a company by its name needs the master keys",
                remedy: "Set \(Settings.Name.masterKeyFile.variable). \(Self.hint)")
        }
        do {
            return TenantID(ring.tenantID(companyName: try CompanyName(name).canonical))
        } catch { throw CommandFailure(.usage, "\(error)") }
    }

    /// Returns the M-Pin identities that are linked to an employee.
    func mpinIdentities(linkedTo employee: EmployeeID, in tenant: TenantID) async throws -> Set<UUID> {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT value FROM tenure.claim
                WHERE ledger_id = \(tenant.uuid) AND kind = 'mpin-linked' AND owner = \(employee.uuid)
                """)
        }
        return Set(try rows.compactMap { UUID(bytes: try $0.decode([UInt8].self)) })
    }

    /// Returns the attempts at an employee; `nil` without an account.
    func attempts(at employee: EmployeeID, in tenant: TenantID) async throws -> PersonAttempts? {
        let account = try await StateLoader(reader: reader).employee(employee, in: tenant).state.account
        guard let account else { return nil }
        return try await PersonAttempts(of: account.user, reader)
    }

    /// Returns the employee of a tenant by employee id or UUID.
    func employee(_ text: String, in tenant: TenantID) async throws -> EmployeeID {
        if let id = EmployeeID(text: text) { return id }
        // In capitals it may be an id that the company gave, which goes before.
        let entered = EmployeeID(entered: text)
        guard let ring else {
            if let entered { return entered }
            throw CommandFailure(.usage, "without the master keys an employee is found only by UUID")
        }
        let canonical: [UInt8]
        do { canonical = try CompanyEmployeeID(text).canonical } catch { throw CommandFailure(.usage, "\(error)") }
        let key = ClaimKey(
            ledger: LedgerID(tenant.uuid), kind: "employee",
            digest: ring.lookupDigest(kind: "employee", canonical, scope: tenant.uuid))
        guard let claim = try await LedgerReader(pool: pool, codes: codes, storesTiles: false).claim(key) else {
            if let entered { return entered }
            throw CommandFailure(.notFound, "the company has no such employee")
        }
        return EmployeeID(claim.owner)
    }
}
