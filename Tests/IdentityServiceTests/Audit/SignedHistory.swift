import Canonical
import EventCoding
import Foundation
@testable import Identity
import Keys
import Testing

@testable import Credentials
@testable import IdentityService
@testable import Ledger

/// The log of one tenant in memory, with events that are signed by real keys: as the service appends them, or as a
/// compromised one would.
struct SignedHistory {
    /// An employee with their device keys.
    struct Member {
        let id = EmployeeID(UUID())
        /// All users are in one directory.
        let user = UserID(SignedHistory.userID())
        /// Each carries the role that its owner has, unless it is ``vouched``.
        let device: SigningKeyPair
        /// A key that an app vouched for.
        let vouched: SigningKeyPair
    }

    /// An app with one secret.
    struct Vouching {
        var app = AppID(UUID())
        var secret = SecretID(UUID())
        var pair: SigningKeyPair
        let roles: RoleSet
    }

    /// Who decides, with which key.
    enum Decider {
        case member(Member, SigningKeyPair)
        case app(Vouching)
        case `operator`(SigningKeyPair)

        /// Nobody's signature: what a compromised service writes that has no key.
        var unsigned: Authority {
            switch self {
            case .member(let member, _): .employee(member.id, nil)
            case .app(let app): .app(app.app, secret: app.secret, nil)
            case .operator: .operator(nil)
            }
        }
    }

    /// Something that is wrong, and where.
    struct Finding: Equatable, CustomStringConvertible {
        let position: Int64
        let words: String
        var description: String { "\(position): \(words)" }
    }

    let tenant = TenantID(UUID())
    let operatorPair: SigningKeyPair
    /// The key of everybody's credentials.
    private let credential: SigningKeyPair
    var time = Timestamp(microseconds: 1_800_000_000_000_000)
    /// How much later each decision is than the event before it.
    var pace = Duration.seconds(1)
    /// How long statements are valid, from ``time`` on.
    var validity = Duration.seconds(900)
    /// Changes what is signed and recorded.
    var spoiling: Spoiling?
    /// The id of the request; `nil` for one that all events of a moment have in common.
    var request: String?
    private(set) var events: [RecordedEvent] = []
    private(set) var system: [RecordedEvent] = []
    /// The events of the directory that all users are in.
    private(set) var directory: [RecordedEvent] = []
    /// The position of the event that was appended last; negative in the system ledger.
    private(set) var latest: Int64 = 0
    private var systemRoots = RootHistory()
    private var versions: [StreamID: Int] = [:]
    /// What the history holds so far.
    private(set) var state = AuthorityTrail(system: nil)
    private var secrets: [SecretID: [UInt8]] = [:]
    private var founding: [UInt8] = []
    private var keys: [UUID: PersonKey] = [:]

    init() throws {
        operatorPair = try SigningKeyPair()
        credential = try SigningKeyPair()
    }

    /// A random id of a user in the one directory.
    static func userID() -> UUID {
        var bytes = UUID().uuid
        bytes.0 = 0x42
        return UUID(uuid: bytes)
    }

    var ledger: LedgerID { LedgerID(tenant.uuid) }
    var last: Int64 { Int64(events.count) }

    // MARK: Appending

    /// Appends an event without asking whether anybody may.
    ///
    /// - Parameter causes: The causes that it names; `nil` for those that the service would name.
    @discardableResult
    mutating func append(
        _ payload: any EventPayload, to stream: StreamID, causes: [UUID]? = nil
    ) throws -> Int64 {
        // The events of one moment are of one request.
        let metadata = EventMetadata(requestId: request ?? "t\(time.microseconds)")
        var event = try EventCodec.encode(payload, id: UUID(), stream: stream, keys: keys, metadata: metadata)
        event.causes = causes ?? self.causes(of: event)
        return try append(event)
    }

    /// The causes that the service would name: what it finds in the append, and the proofs and sessions before it.
    func causes(of event: NewEvent) -> [UUID] {
        let named: [UUID]
        switch event.type {
        case BrowserSessionOpened.type, GrantOpened.type, SessionClosed.type, WaitEnded.type, DeviceMailConfirmed.type,
            EmployeeKeyAuthorized.type:
            named = CauseTable.causes(of: event, at: time, among: events.map { CauseFacts($0) })
        default:
            let append = events.reversed().prefix { $0.time == time }.reversed()
            let facts = append.filter { CauseTable.types.contains($0.type) }.map { CauseFacts($0) }
            named = CauseTable.causes(of: event, at: time, among: facts)
        }
        guard let statement = event.data["by"]?["statement"] else { return named }
        let first = events.first {
            $0.stream.ledger == event.stream.ledger && $0.time == time && $0.data["by"]?["statement"] == statement
        }
        return named + (first.map { [$0.id] } ?? [])
    }

    /// Appends an encoded event as it is.
    @discardableResult
    mutating func append(_ new: NewEvent) throws -> Int64 {
        var new = new
        if let spoiling { new.data = spoiling.record(new.data) }
        let stream = new.stream, isSystem = stream.ledger == .system
        let isDirectory = stream.ledger.isDirectory
        let position = Int64((isSystem ? system : isDirectory ? directory : events).count + 1)
        let version = versions[stream, default: 0] + 1
        versions[stream] = version
        let event = try Entry.decode(try Entry.encode(new, version: version, time: time), at: position)
        if !isDirectory { latest = isSystem ? -position : position }
        if isDirectory {
            directory.append(event)
        } else if isSystem {
            system.append(event)
            systemRoots.append(event.leaf, at: position)
            // The service obeys the first issue of a secret.
            if event.type == AppSecretIssued.type, let issued = try EventCodec.payload(of: event) as? AppSecretIssued,
                secrets[issued.secretID] == nil
            {
                secrets[issued.secretID] = event.leaf
            }
            if event.type == SystemFounded.type { founding = event.leaf }
        } else {
            events.append(event)
            _ = state.follow(event)
        }
        return position
    }

    /// Appends a copy of an event under a new id, as somebody who can write to the database and has no key.
    ///
    /// - Parameter position: That of the event; negative in the system ledger.
    @discardableResult
    mutating func copy(_ position: Int64) throws -> Int64 {
        let event = position < 0 ? system[Int(-position) - 1] : events[Int(position) - 1]
        return try append(
            NewEvent(
                id: UUID(), stream: event.stream, type: event.type, schema: event.schema, data: event.data,
                actor: event.actor, app: event.app, requestId: event.requestId, source: event.source,
                causes: event.causes))
    }

    /// Gives the event that was appended last other causes, before anybody reads it.
    mutating func replaceLast(causes: [UUID], of event: RecordedEvent) throws {
        let new = NewEvent(
            id: event.id, stream: event.stream, type: event.type, schema: event.schema, data: event.data,
            requestId: event.requestId, causes: causes)
        let entry = try Entry.encode(new, version: event.streamVersion, time: event.time)
        events[events.count - 1] = try Entry.decode(entry, at: event.position)
    }

    /// Appends an event of an employee.
    @discardableResult
    mutating func append(_ payload: any EventPayload, about member: Member) throws -> Int64 {
        try append(payload, to: .employee(member.id, in: tenant))
    }

    /// Appends an event of the tenant.
    @discardableResult
    mutating func append(_ payload: any EventPayload) throws -> Int64 { try append(payload, to: .tenant(tenant)) }

    /// Appends a decision with its signature, a second later: the operator's is about exactly this event, everybody
    /// else's a statement.
    mutating func append<Payload: EventPayload>(
        _ payload: (Authority) -> Payload, by decider: Decider, to stream: StreamID, _ statement: some Statement
    ) throws {
        time = time.adding(pace)
        if case .operator(let pair) = decider {
            try append(byOperator(pair, on: stream, payload), to: stream)
        } else {
            try append(payload(signed(decider, statement)), to: stream)
        }
    }

    /// Makes the key under which somebody's texts are sealed.
    mutating func makeKey(of owner: UUID) { keys[owner] = PersonKey(id: owner, key: SecretKey()) }

    /// Appends an event with personal texts.
    mutating func register(_ member: Member, approved: Bool = true, isFounding: Bool = false) throws {
        makeKey(of: member.id.uuid)
        try append(
            EmployeeRegistered(
                employeeID: member.id, userID: member.user, companyName: isFounding ? "acme.example" : nil,
                companyEmployeeID: Personal(member.id, "7"), email: Personal(member.id, "a@acme.example"),
                isCompanyOwnedEmail: false, approved: approved), about: member)
    }

    /// Presents a device key, with the validation that the service has in the same append.
    mutating func present(_ pair: SigningKeyPair, of member: Member) throws {
        let isFirst = state.employees[member.id]?.keys.isEmpty ?? true
        let flow = try validate(member, on: pair)
        try append(
            EmployeeKeyPresented(employeeID: member.id, key: pair.key, flow: flow, first: isFirst), about: member)
    }

    /// Appends the proof of somebody's answers on a device, and returns the flow.
    @discardableResult
    mutating func validate(
        _ member: Member, on pair: SigningKeyPair, saying: PasskeySaying? = nil
    ) throws -> FlowID {
        if keys[member.id.uuid] == nil { makeKey(of: member.id.uuid) }
        let flow = UUID(), id = UUID(), hash = [UInt8](repeating: 7, count: 32)
        let challenge = try Challenge(
            .init(
                issuer: "tenure", purpose: .login, flow: flow, nonce: hash, tenant: tenant.uuid,
                subject: try Commitment.subject(salt: hash, companyName: "acme.example", companyEmployeeId: "7"),
                app: "app", employeeKey: try EmployeePublicKey(bytes: pair.key.bytes), credential: id,
                expires: time.adding(.seconds(60))))
        let validation = CredentialValidation(
            employeeID: member.id, userID: member.user, credentialID: CredentialID(id), userKey: credential.key,
            employeeKey: pair.key, purpose: .login, mode: .direct, challenge: challenge.bytes,
            deviceSignature: try saying?.sign(challenge.bytes, pair) ?? pair.sign(challenge.bytes).signature,
            userSignature: try credential.sign(SignatureTag.validation.line + challenge.bytes).signature,
            subjectSalt: Personal(member.id, "salt"))
        try append(AnswersValidated(validation: validation), to: .flow(flow, in: tenant))
        return FlowID(flow)
    }

    // MARK: Signing

    /// The members that every statement of a decider has.
    ///
    /// - Parameter isOwn: Whether the decision is about the decider's own account.
    func context(_ decider: Decider, isOwn: Bool = false) throws -> StatementContext {
        let signer: SigningKeyPair
        var systemSize: Int64?
        let authority: [UInt8]?
        switch decider {
        case .member(let member, let pair):
            signer = pair
            let role = isOwn ? nil : state.tenant.roleSince(of: member.id)
            authority = state.leaf(role ?? state.employees[member.id]?.keys[pair.key]?.authorized)
        case .app(let app):
            signer = app.pair
            authority = secrets[app.secret]
            systemSize = Int64(system.count)
        case .operator(let pair):
            signer = pair
            authority = founding
        }
        let size = last
        return StatementContext(
            tenant: tenant.uuid, signer: try StatementKey(bytes: signer.key.bytes),
            authority: authority ?? [UInt8](repeating: 0, count: 32), ledgerSize: size,
            ledgerRoot: try #require(state.roots.root(size: size)), systemSize: systemSize,
            expires: time.adding(validity), nonce: Self.nonce())
    }

    private static func nonce() -> [UInt8] { (0..<32).map { _ in .random(in: 0...255) } }

    /// A statement signed by a decider, as the member `by`.
    func signed(_ decider: Decider, _ statement: some Statement) throws -> Authority {
        let bytes = spoiling?.sign(statement.bytes) ?? statement.bytes
        return switch decider {
        case .member(let member, let pair): .employee(member.id, try pair.sign(bytes))
        case .app(let app): .app(app.app, secret: app.secret, try app.pair.sign(bytes))
        case .operator(let pair): .operator(try pair.sign(bytes))
        }
    }

    /// An event that the operator decides, with a statement about exactly this event.
    ///
    /// - Parameter root: The root of the system ledger that the operator saw; by default the one it has.
    func byOperator<Payload: EventPayload>(
        _ pair: SigningKeyPair? = nil, on stream: StreamID, seeing root: [UInt8]? = nil,
        _ payload: (Authority) -> Payload
    ) throws -> Payload {
        let pair = pair ?? operatorPair, size = Int64(system.count)
        let known = try #require(systemRoots.root(size: size))
        let event = try EventCodec.encode(
            payload(.operator(nil)), id: UUID(), stream: stream, keys: keys, metadata: EventMetadata())
        let statement = OperatorStatement(
            context: StatementContext(
                tenant: stream.ledger.uuid, signer: try StatementKey(bytes: pair.key.bytes), authority: founding,
                ledgerSize: size, ledgerRoot: root ?? known, expires: time.adding(validity), nonce: Self.nonce()),
            action: event.type, schema: event.schema, subject: stream.id,
            data: OperatorStatement.signedPart(of: event.data))
        return payload(.operator(try pair.sign(statement.bytes)))
    }

    // MARK: The system ledger

    /// Begins the log.
    mutating func found() throws {
        try append(
            SystemFounded(
                operatorKey: operatorPair.key, keyCheck: try #require(Bytes32([UInt8](repeating: 1, count: 32)))),
            to: StreamID(ledger: .system, kind: "system", id: LedgerID.system.uuid))
    }

    /// Registers an app and issues a secret with roles.
    mutating func makeApp(_ first: AppRole, _ others: AppRole...) throws -> Vouching {
        let roles = try #require(RoleSet([first] + others))
        let app = Vouching(pair: try SigningKeyPair(), roles: roles)
        let salt = try #require(Bytes32([UInt8](repeating: 2, count: 32)))
        try append(
            byOperator(on: .app(app.app)) { AppRegistered(appID: app.app, name: "app", salt: salt, by: $0) },
            to: .app(app.app))
        try append(
            byOperator(on: .app(app.app)) {
                AppSecretIssued(
                    appID: app.app, secretID: app.secret, roles: roles, digest: salt, authorityKey: app.pair.key,
                    by: $0)
            }, to: .app(app.app))
        return app
    }

    /// Ends a secret.
    mutating func revoke(_ app: Vouching) throws {
        try append(
            byOperator(on: .app(app.app)) { AppSecretRevoked(appID: app.app, secretID: app.secret, by: $0) },
            to: .app(app.app))
    }

    /// Records the checkpoint of the tenant's ledger.
    mutating func seal() throws { try seal([LedgerID(tenant.uuid): last], clock: time, asOf: nil) }

    /// Records checkpoints with the database's clock, as the service does.
    ///
    /// - Parameters:
    ///   - ledgers: The ledgers that grew, by the number of their events.
    ///   - clock: The clock after the ledgers were read.
    ///   - start: The clock before, at the end of a complete round.
    mutating func seal(_ ledgers: [LedgerID: Int64], clock: Timestamp, asOf start: Timestamp?) throws {
        let checkpoints = try ledgers.sorted { $0.key < $1.key }.map { ledger, size in
            CheckpointSealed.Checkpoint(ledger: ledger.uuid, size: size, root: try root(of: ledger, size: size))
        }
        try append(CheckpointSealed(checkpoints: checkpoints, clock: clock, asOf: start), to: .checkpoints)
    }

    private func root(of ledger: LedgerID, size: Int64) throws -> Bytes32 {
        var roots = RootHistory()
        let events = ledger == .system ? system : ledger.isDirectory ? directory : events
        for event in events.prefix(Int(size)) { roots.append(event.leaf, at: event.position) }
        return try #require(roots.root(size: size).flatMap { Bytes32($0) })
    }

    /// Exchanges the event at a position with the next one, as somebody who can write to the database.
    mutating func exchange(_ position: Int64) throws {
        let first = events[Int(position) - 1], second = events[Int(position)]
        events[Int(position) - 1] = try Entry.decode(second.entry, at: position)
        events[Int(position)] = try Entry.decode(first.entry, at: position + 1)
    }

    // MARK: Verifying

    /// What a verification finds in both ledgers; findings of the system ledger have negative positions.
    func verify() throws -> (findings: [Finding], notes: [VerifyNote]) {
        var findings: [Finding] = []
        var inspector = LogInspector(checksSignatures: true)
        for event in system {
            if let words = inspector.inspect(event) ?? inspector.follow(event) {
                findings.append(Finding(position: -event.position, words: words))
            }
        }
        findings += inspector.settleSystem().map { Finding(position: -($0.position ?? 0), words: $0.detail) }
        var own = LogInspector(
            checksSignatures: true, system: inspector.authority, of: ledger, sealed: inspector.records[ledger] ?? [])
        findings += self.findings(with: &own)
        return (findings, inspector.authority.notes + own.trail.notes(of: ledger))
    }

    /// What a verification finds in the tenant's ledger after a position.
    func findings(after position: Int64 = 0, with own: inout LogInspector) -> [Finding] {
        var findings: [Finding] = []
        for event in events.dropFirst(Int(position)) {
            if let words = own.inspect(event) ?? own.follow(event) {
                findings.append(Finding(position: event.position, words: words))
            }
        }
        for violation in own.later(of: ledger) {
            findings.append(Finding(position: violation.position ?? 0, words: violation.detail))
        }
        return findings
    }

    /// A verification of the tenant's ledger that has read the system ledger, and nothing of its own.
    func inspector() -> LogInspector {
        var inspector = LogInspector(checksSignatures: true)
        for event in system { _ = inspector.inspect(event) ?? inspector.follow(event) }
        return LogInspector(
            checksSignatures: true, system: inspector.authority, of: ledger, sealed: inspector.records[ledger] ?? [])
    }

    /// Expects that an event is the only finding, in these words; by default the one that was appended last.
    func expectFinding(
        _ words: String, _ comment: String = "", at position: Int64? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try verify().findings
        #expect(
            found == [Finding(position: position ?? latest, words: words)], "\(comment): \(found)",
            sourceLocation: sourceLocation)
    }

    /// Expects that everything is lawful, without a note.
    func expectLawful(_ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (findings, notes) = try verify()
        #expect(findings == [] && notes == [], "\(comment): \(findings) \(notes)", sourceLocation: sourceLocation)
    }
}
