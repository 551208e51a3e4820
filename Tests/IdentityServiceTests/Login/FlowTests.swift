import Canonical
import Credentials
import EventCoding
import Foundation
import Identity
import Keys
import Ledger
import Logging
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

    @Test(arguments: [ChallengedCredential.Parts.keyStep, .evaluation, .proof, .validation])
    func `known and unknown names are read by the same statements`(parts: ChallengedCredential.Parts) {
        let known = BudgetFixture.flow(tenant: tenant)
        var unknown = BudgetFixture.flow(tenant: tenant, isDecoy: true)
        unknown.standIn = StandIn(employeeId: UUID(), userId: UUID(), credentialId: UUID())
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
    @Test(arguments: [true, false]) func `a flow's row round-trips`(isComplete: Bool) throws {
        var state = sample
        if isComplete {
            state.isHidden = true
            state.decoyKeys = [1, 2, 3]
            state.standIn = StandIn(employeeId: UUID(), userId: UUID(), credentialId: UUID())
            state.recovery = ApprovedRecovery(
                opened: [UInt8](repeating: 8, count: 32), confirmed: [UInt8](repeating: 9, count: 32))
            #expect(state.finished.recovery == nil)
        } else {
            state.email = nil
            state.proved = nil
            state.charges = []
            state.seed = nil
            state.setUpEvaluations = 0
            state.attempt = nil
        }
        let bytes = state.json.canonicalBytes()
        #expect(try FlowState(json: CanonicalJSON.parse(bytes)) == state)
    }

    @Test func `a finished flow contains no personal data`() throws {
        let text = String(decoding: sample.finished.json.canonicalBytes(), as: UTF8.self)
        #expect(sample.finished.seed == nil && sample.finished.attempt == nil)
        let seed = Base64URL.encode([UInt8](repeating: 11, count: 32))
        for secret in ["bayunsystems", "emp-1", "jane@", Base64URL.encode(sample.subjectSalt), seed] {
            #expect(!text.contains(secret))
        }
        #expect(sample.finished.step == .done)
    }

    private let sample = FlowState(
        id: UUID(), purpose: .registration, step: .credentials, appId: UUID(), tenantId: UUID(),
        companyName: "bayunsystems.com", companyEmployeeId: "emp-1", email: "jane@bayunsystems.com",
        isCompanyOwnedEmail: true, employeePublicKey: [4] + [UInt8](repeating: 7, count: 64), employeeId: UUID(),
        userId: UUID(), credentialId: UUID(), namedCredentialId: UUID(), isDecoy: false, userExists: false,
        questionsAllowed: true, challenge: [1, 2, 3], subjectSalt: [UInt8](repeating: 9, count: 32),
        proved: FlowState.ProvedKey(challenge: [1], signature: [UInt8](repeating: 5, count: 64)),
        charges: [FlowState.Charge(id: UUID(), version: 2, wasKnownDevice: true)],
        expiresAt: Timestamp(microseconds: 1_795_000_000_123_456), seed: [UInt8](repeating: 11, count: 32),
        setUpEvaluations: 2, attempt: BlindAttempt(first: .answers(AnswerSubset.all[7])))
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
