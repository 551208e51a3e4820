import Canonical
import Credentials
import EventCoding
import Foundation
@testable import Identity
import Keys
import Ledger
import Logging
import TenureAPI
import TestSupport
import Testing
@testable import IdentityService
@testable import Postgres

/// The statements of a step must not depend on whether the name belongs to somebody.
struct FlowSceneReadingTests {
    private let context: ServiceContext
    private let tenant = UUID()

    init() throws { context = try .unconnected() }

    /// Texts of statements and lengths of what is bound.
    private func shape(_ reading: FlowSceneReading) -> [String] {
        reading.reads.statements.list.map { "\($0.text) \($0.parameters.bytes.count)" }
    }

    @Test(arguments: [FlowScene.Parts.keyStep, .evaluation, .proof, .validation])
    func `known and unknown names are read by the same statements`(parts: FlowScene.Parts) {
        let known = BudgetFixture.flow(tenant: tenant)
        var unknown = BudgetFixture.flow(tenant: tenant)
        unknown.purpose = .login(
            FlowState.Account(
                isDecoy: true, standIn: StandIn(employeeId: UUID(), userId: UUID(), credentialId: UUID())))
        // A decoy in a company without a colleague who could stand in.
        let alone = BudgetFixture.flow(tenant: tenant, isDecoy: true)
        let readings = [known, unknown, alone].map { FlowSceneReading(parts, for: $0, context) }
        for reading in readings {
            #expect(shape(reading) == shape(readings[0]))
            // The company's ledger, and the directories of the budget and of the user who is read.
            #expect(reading.reads.ledgers.contains(LedgerID(tenant)))
            #expect((2...3).contains(reading.reads.ledgers.count))
        }
    }

    @Test func `a user without events is read as one without credentials`() throws {
        let state = BudgetFixture.flow(tenant: tenant)
        let reading = FlowSceneReading(.keyStep, for: state, context)
        let scene = try reading.read(PipelinedRows([[], []]))
        #expect(scene.user.id == UserID(state.userId) && scene.user.state.credentials == nil)
        #expect(scene.tenant?.exists == false)
    }
}

struct FlowStateTests {
    private static let account = FlowState.Account(
        isDecoy: true, decoyKeys: [1, 2, 3],
        standIn: StandIn(employeeId: UUID(), userId: UUID(), credentialId: UUID()), isHidden: true)
    private static let approved = ApprovedRecovery(
        opened: [UInt8](repeating: 8, count: 32), confirmed: [UInt8](repeating: 9, count: 32))
    private static let proved = PendingChange(kind: .answers, userSignature: [UInt8](repeating: 6, count: 64))

    private static let purposes: [FlowState.Purpose] = [
        .registration(
            FlowState.Registration(
                email: "jane@bayunsystems.com", isCompanyOwnedEmail: true, namedCredentialId: UUID(),
                userExists: true, invitation: UUID(), intent: .join)),
        .registration(FlowState.Registration(email: "", isCompanyOwnedEmail: false, namedCredentialId: UUID())),
        .login(account), .login(FlowState.Account(isDecoy: false)), .change(account), .change(account, proved),
        .recovery(account), .recovery(account, approved), .returning(account),
        .address(account, AddressLogin(address: "jane@bayunsystems.com", client: UUID())), .address(account, picking),
    ]

    /// A log-in by an address whose secret was proved.
    private static let picking = AddressLogin(
        address: "jane@bayunsystems.com", kind: .passphrase, userKey: [4] + [UInt8](repeating: 3, count: 64),
        choices: [
            AddressLogin.Choice(
                tenant: UUID(), employee: UUID(), company: "bayunsystems.com", companyEmployeeId: "emp-1",
                challenge: [1, 2], salt: [UInt8](repeating: 4, count: 32),
                userSignature: [UInt8](repeating: 5, count: 64))
        ])

    @Test(arguments: purposes) func `a flow's row round-trips`(purpose: FlowState.Purpose) throws {
        var state = sample
        state.purpose = purpose
        func isKept(_ state: FlowState) throws -> Bool {
            let bytes = try FlowState.members.write(state).canonicalBytes()
            return try FlowState.members.read(CanonicalJSON.parse(bytes)) == state
        }
        #expect(try isKept(state) && isKept(state.finished))
        state.proved = nil
        state.charges = []
        state.setUp = nil
        state.attempt = nil
        #expect(try isKept(state))
        #expect(state.finished.account?.decoyKeys == nil && state.finished.account?.standIn == nil)
        if case .recovery(_, let approved) = state.finished.purpose { #expect(approved == nil) }
        if case .change(_, let proved) = state.finished.purpose { #expect(proved == nil) }
        if state.address != nil { #expect(state.finished.address == AddressLogin(address: "")) }
    }

    @Test func `attempts on an address are counted for its directory, also once an account is picked`() {
        var state = sample
        #expect(state.countedTenantId == state.tenantId)
        state.purpose = .address(Self.account, Self.picking)
        #expect(state.countedTenantId == LedgerID.directory(of: UserID(state.userId)).uuid)
        #expect(AdmissionLane(state).tenant == state.countedTenantId)
    }

    @Test func `a log-in's row with a registration, or with an unknown member, is refused`() throws {
        guard case .object(var members) = try FlowState.members.write(sample), let purpose = members["purpose"],
            case .object(var form) = purpose
        else { return #expect(Bool(false)) }
        form["kind"] = "login"
        members["purpose"] = .object(form)
        #expect(throws: JSONError.self) { try FlowState.members.read(.object(members)) }
        form["account"] = try FlowState.Account.members.write(Self.account)
        members["purpose"] = .object(form)
        #expect(throws: JSONError.self) { try FlowState.members.read(.object(members)) }
        form["registration"] = nil
        members["purpose"] = .object(form)
        #expect(try FlowState.members.read(.object(members)).purpose == .login(Self.account))
        members["email"] = "jane@bayunsystems.com"
        #expect(throws: JSONError.self) { try FlowState.members.read(.object(members)) }
    }

    @Test func `a finished flow contains no personal data`() throws {
        let text = String(decoding: try FlowState.members.write(sample.finished).canonicalBytes(), as: UTF8.self)
        #expect(sample.finished.setUp == nil && sample.finished.attempt == nil)
        let seed = Base64URL.encode([UInt8](repeating: 11, count: 32))
        for secret in ["bayunsystems", "emp-1", "jane@", Base64URL.encode(sample.subjectSalt), seed] {
            #expect(!text.contains(secret))
        }
        #expect(sample.finished.step == .done)
    }

    private let sample = FlowState(
        id: UUID(), purpose: purposes[0], step: .credentials, appId: UUID(), tenantId: UUID(),
        companyName: "bayunsystems.com", companyEmployeeId: "emp-1",
        employeePublicKey: [4] + [UInt8](repeating: 7, count: 64), employeeId: UUID(), userId: UUID(),
        credentialId: UUID(), questionsAllowed: true, challenge: [1, 2, 3],
        subjectSalt: [UInt8](repeating: 9, count: 32),
        proved: FlowState.ProvedKey(challenge: [1], signature: [UInt8](repeating: 5, count: 64)),
        charges: [FlowState.Charge(id: UUID(), version: 2, wasKnownDevice: true)],
        expiresAt: Timestamp(microseconds: 1_795_000_000_123_456),
        setUp: FlowState.SetUp(seed: [UInt8](repeating: 11, count: 32), evaluations: 2),
        attempt: BlindAttempt(first: .answers(AnswerSubset.all[7])))
}

extension ServiceContext {
    /// A context whose statements are looked at and never sent.
    static func unconnected() throws -> ServiceContext {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: "postgresql://nobody@127.0.0.1:1/none"),
            maximumConnections: 1, logger: logger)
        return try connected(pool)
    }

    /// A context on a database.
    static func connected(
        _ pool: PostgresPool, settings: ServiceSettings = ServiceSettings()
    ) throws -> ServiceContext {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let masters = MasterKeys.random()
        return ServiceContext(
            pool: pool, appender: Appender(pool: pool, logger: logger), reader: LedgerReader(pool: pool),
            ring: .random(), personKeys: PersonKeys(pool: pool, masters: masters),
            seeds: OPRFSeeds(pool: pool, masters: masters), compute: ComputePool(threads: 1, waiting: 1),
            evaluations: ComputePool(threads: 1, waiting: 1), settings: settings, logger: logger)
    }
}
