import Canonical
import Foundation
@testable import Identity
import Ledger
import Logging
import Postgres
import TestSupport
import Testing

@testable import Credentials
@testable import EventCoding
@testable import IdentityService
@testable import Keys

/// A tenant with M-Pin identities in a database, written by the deciders without HTTP.
struct MPinStage: Sendable {
    /// What outlives a restored backup.
    struct Installation: Sendable {
        let masters = MasterKeys.random()
        let directory = NSTemporaryDirectory() + "mpin-" + UUID().uuidString

        var list: ErasureList { ErasureList(path: directory + "/erased") }
    }

    static let company = "erasing.example"

    let installation: Installation
    let database: TestDatabase
    let context: ServiceContext
    let appender: Appender
    let readers: PostgresPool
    let commands: OperatorUseCases

    var tenant: TenantID { TenantID(context.ring.tenantID(companyName: Array(Self.company.utf8))) }
    var ledger: LedgerID { LedgerID(tenant.uuid) }
    var list: ErasureList { installation.list }
    var erasure: Erasure {
        commands.erasure(reader: readers, masters: MasterKeyStore(installation.masters), list: list)
    }

    /// Runs `body` on an empty database.
    static func run(_ body: (MPinStage) async throws -> Void) async throws {
        let installation = Installation()
        try FileManager.default.createDirectory(atPath: installation.directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: installation.directory) }
        try await TestDatabase.with { database in
            try await run(installation, on: database) { stage in
                try await LogBeginning.found(operatorKey().publicKey, by: stage.context.ring, on: stage.context.pool)
                try await body(stage)
            }
        }
    }

    /// Runs `body` with processes that know nothing of a database yet.
    static func run(
        _ installation: Installation, on database: TestDatabase, _ body: (MPinStage) async throws -> Void
    ) async throws {
        try await database.withPool(as: .reader, maximumConnections: 6) { readers in
            let masters = installation.masters
            let codes = { pool in EventCodes(try await KeyRing.load(from: pool, masters: masters)) }
            try await database.withAppender(codes: codes) { appender, pool in
                let ring = try await KeyRing.load(from: pool, masters: masters)
                let context = ServiceContext(
                    pool: pool, appender: appender, reader: LedgerReader(pool: pool, codes: EventCodes(ring)),
                    ring: ring,
                    personKeys: PersonKeys(pool: pool, masters: masters),
                    seeds: OPRFSeeds(pool: pool, masters: masters), compute: ComputePool(threads: 1, waiting: 1),
                    evaluations: ComputePool(threads: 1, waiting: 1), settings: ServiceSettings(),
                    logger: TestServer.logger())
                try await body(
                    MPinStage(
                        installation: installation, database: database, context: context, appender: appender,
                        readers: readers,
                        commands: OperatorUseCases(context, signer: OperatorKeySource { try operatorKey() })))
            }
        }
    }

    static func operatorKey() throws -> OperatorKey { try OperatorKey(privateBytes: [UInt8](repeating: 7, count: 32)) }

    // MARK: Appending

    /// Appends events to a stream at its present version, and a right proof to a flow.
    func append(
        _ payloads: [any EventPayload], to stream: StreamID, keys: [UUID: PersonKey] = [:], claims: [Claim] = [],
        statements: [SQL] = [], proof: MPinAuthenticated? = nil
    ) async throws {
        let version = try await context.reader.streams([stream])[stream]?.last?.streamVersion ?? 0
        var recorder = EventRecorder(context, at: .now())
        for payload in payloads { try recorder.add(payload, to: stream, version: version, keys: keys) }
        if let proof { try recorder.add(proof, to: .flow(UUID(), in: tenant), version: 0) }
        recorder.claims = claims
        recorder.statements = statements
        try await recorder.append()
    }

    /// Registers an employee, the first of whom founds the tenant.
    func register(_ number: String, isFounding: Bool = false, user: UserID = UserID(UUID())) async throws -> EmployeeID
    {
        let id = EmployeeID(UUID()), stream = StreamID.employee(id, in: tenant), pair = try SigningKeyPair()
        let (key, insertion) = try await context.personKeys.create(id: id.uuid, ledger: tenant.uuid)
        var payloads: [any EventPayload] = [
            EmployeeRegistered(
                employeeID: id, userID: user, companyName: isFounding ? Self.company : nil,
                companyEmployeeID: Personal(id, number), email: Personal(id, "\(number)@\(Self.company)"),
                isCompanyOwnedEmail: true, approved: true),
            EmployeeKeyPresented(employeeID: id, key: pair.key, flow: FlowID(UUID()), first: true),
        ]
        if isFounding {
            payloads.append(EmployeeKeyAuthorized(employeeID: id, key: pair.key, by: .founding))
        }
        let name = try CompanyEmployeeID(number)
        try await append(
            payloads, to: stream, keys: [id.uuid: key],
            claims: [
                Claim(key: context.ring.employeeClaim(name, in: tenant), owner: id.uuid),
                context.ring.memberClaim(id, of: user, in: tenant),
                context.ring.accountClaim(id, of: user, in: tenant),
            ], statements: [insertion])
        return id
    }

    /// Starts an identity on a slot of its user id, and brings it to its first right proof.
    func identity(_ text: String, slot: UInt8 = 0, isRegistered: Bool = true) async throws -> MPinIdentityID {
        let id = MPinIdentityID(UUID()), userID = try MPinUserID(text), time = Timestamp.now()
        let hash = try #require(Bytes32((0..<32).map { _ in UInt8.random(in: 0...255) }))
        let (key, insertion) = try await context.personKeys.create(id: id.uuid, ledger: tenant.uuid)
        var state = MPinIdentity.initial
        var payloads: [any EventPayload] = []
        func run(_ command: MPinIdentity.Command) throws {
            for event in try MPinIdentity.decide(state, command) {
                MPinIdentity.evolve(&state, Recorded(event, id: UUID(), time: time, position: 1, version: 1))
                payloads.append(event.payload)
            }
        }
        try run(
            .start(
                MPinIdentity.Start(
                    id: id, mpinIDHash: hash, userID: userID,
                    deviceName: try MPinDeviceText("Phone of \(text)", field: "deviceName"), policy: .initial,
                    time: time)))
        if isRegistered {
            try run(.verify(.email, at: time))
            try run(
                .issueKey(MPinIdentity.IssueKey(suite: .bls12381AMCL3SHA256, epoch: 1, policy: .initial, time: time)))
            try run(.prove(MPinIdentity.Proof(isRight: true, policy: .initial, time: time)))
        }
        try await append(
            payloads, to: .mpin(id, in: tenant), keys: [id.uuid: key],
            claims: [
                Claim(key: context.ring.mpinClaim(hash: hash, in: tenant), owner: id.uuid),
                Claim(key: context.ring.mpinUserClaim(userID, slot: slot, in: tenant), owner: id.uuid),
            ], statements: [insertion], proof: isRegistered ? MPinAuthenticated(identityID: id) : nil)
        return id
    }

    /// Links an identity to an employee, as the link would be recorded. Nobody signs it.
    func link(_ id: MPinIdentityID, to employee: EmployeeID) async throws {
        let fingerprint = try #require(KeyFingerprint([UInt8](repeating: 7, count: 32)))
        try await append(
            [MPinLinked(employeeID: employee, fingerprint: fingerprint, by: .employee(employee, nil))],
            to: .mpin(id, in: tenant), claims: [context.ring.mpinLinkedClaim(id, of: employee, in: tenant)])
    }

    /// Issues an activation code for a user id. Nobody signs it.
    func code(for text: String) async throws -> MPinActivationID {
        let id = MPinActivationID(UUID()), userID = try MPinUserID(text)
        let (key, insertion) = try await context.personKeys.create(id: id.uuid, ledger: tenant.uuid)
        let digest = try #require(Bytes32([UInt8](repeating: 3, count: 32)))
        func personal(_ text: String) -> Personal { Personal(owner: id.uuid, text: text) }
        try await append(
            [
                MPinActivationIssued(
                    activationID: id, digest: digest, subject: digest, userID: personal(text),
                    subjectSalt: personal("c2FsdA"), expiresAt: .now().adding(MPinActivation.lifetime),
                    by: .operator(nil))
            ], to: .activation(id, in: tenant), keys: [id.uuid: key],
            claims: [Claim(key: context.ring.mpinActivationClaim(userID, in: tenant), owner: id.uuid)],
            statements: [insertion])
        return id
    }
}

// MARK: Looking

extension MPinStage {
    /// The state of an identity, without its texts.
    func state(_ id: MPinIdentityID) async throws -> MPinIdentity.State {
        let stream = StreamID.mpin(id, in: tenant)
        return try StateLoader.mpin(id, try await context.reader.streams([stream])[stream] ?? []).state
    }

    /// Which of these ids still have a key in the database.
    func keys(of ids: [UUID]) async throws -> Set<UUID> {
        let rows = try await superuser("SELECT key_id FROM tenure.person_key WHERE key_id = ANY (\(ids))")
        return Set(try rows.map { try $0.decode(UUID.self) })
    }

    /// The kinds of the claims that an id owns.
    func claims(of id: UUID) async throws -> Set<String> {
        let rows = try await superuser("SELECT kind FROM tenure.claim WHERE owner = \(id)")
        return Set(try rows.map { try $0.decode(String.self) })
    }

    @discardableResult
    func superuser(_ sql: SQL) async throws -> [PostgresRow] {
        var connection = try await database.connect(as: .superuser)
        return try await connection.query(sql)
    }

    /// All events of the tenant as a replay shows them.
    func shown() async throws -> [OpenedEvent] {
        let page = try await context.reader.ledger(ledger, after: 0, limit: 1_000)
        let owners = page.events.reduce(into: Set<UUID>()) { $0.formUnion(OpenedEvent.owners($1)) }
        let keys = try await PersonKeys(pool: readers, masters: installation.masters).load(
            Array(owners), ledger: tenant.uuid)
        return page.events.map { OpenedEvent($0, keys: keys) }
    }

    /// What verification finds in the tenant's ledger.
    func findings() async throws -> [String] {
        var inspector = LogInspector(checksSignatures: true)
        var found: [String] = []
        for event in try await context.reader.ledger(.system, after: 0, limit: 1_000).events {
            if let words = inspector.inspect(event) ?? inspector.follow(event) { found.append("system: " + words) }
        }
        var own = LogInspector(
            checksSignatures: true, system: inspector.authority, sealed: inspector.records[ledger] ?? [])
        for event in try await context.reader.ledger(ledger, after: 0, limit: 1_000).events {
            if let words = own.inspect(event) ?? own.follow(event) { found.append("\(event.type): \(words)") }
        }
        found += own.later(of: ledger).map { "later: \($0.detail)" }
        return found
    }

    /// The rows of the tables that a backup of keys, log and claims has, by their table.
    func backup() async throws -> [(table: String, columns: String, rows: [UInt8])] {
        var connection = try await database.connect(as: .superuser)
        var backup: [(table: String, columns: String, rows: [UInt8])] = []
        for name in ["ledger", "event", "claim", "person_key", "bucket_key", "purpose_key", "erasure"] {
            let columns = try await connection.query(
                """
                SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                WHERE attrelid = \("tenure." + name)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
                """)
            let list = try #require(columns.first).decode(String.self)
            var text: [UInt8] = []
            _ = try await connection.copyOut("COPY tenure.\(unsafeSQL: name) (\(unsafeSQL: list)) TO STDOUT") {
                text += $0
            }
            backup.append((name, list, text))
        }
        return backup
    }

    /// Runs `body` with a new process on a database that has the rows of a backup.
    func restored(
        _ backup: [(table: String, columns: String, rows: [UInt8])], _ body: (MPinStage) async throws -> Void
    ) async throws {
        try await TestDatabase.with { copy in
            var connection = try await copy.connect(as: .superuser)
            for (table, columns, rows) in backup {
                try await connection.executeScript("TRUNCATE tenure.\(table)")
                let statement: SQL = "COPY tenure.\(unsafeSQL: table) (\(unsafeSQL: columns)) FROM STDIN"
                _ = try await connection.copyIn(statement) { writer in try await writer.write(rows) }
            }
            try await Self.run(installation, on: copy, body)
        }
    }
}
