import Canonical
import EventCoding
import Foundation
@testable import Identity
import Testing

@testable import Credentials
@testable import IdentityService
@testable import Ledger

extension HistoryScene {
    /// What a verification says, with what an append lacks and what the given events of a directory do not show.
    fileprivate func words(_ directory: [RecordedEvent] = []) throws -> [String] {
        var inspector = history.inspector()
        _ = history.findings(with: &inspector)
        var causes = inspector.validated.causes
        causes.complete(history.ledger)
        let found = try history.verify().findings.map(\.words) + causes.unresolved.map(\.detail)
        for event in directory { _ = causes.match(event) }
        return found + causes.violations.map(\.detail)
    }

    /// Signs for a device key with a passkey, over any bytes.
    fileprivate func signed(_ statement: some Statement, _ saying: PasskeySaying) throws -> Authority {
        let signature = try saying.sign(statement.bytes, waiting)
        return .employee(
            staff.id, SignedStatement(key: waiting.key, statement: statement.bytes, signature: signature))
    }

    /// Registers the newcomer with a passkey, as the service does, and returns the event of the directory.
    ///
    /// - Parameter challenge: The challenge that the passkey signs; that of the flow unless another one is made.
    fileprivate mutating func registerByPasskey(
        isCaused: Bool = true, credentialsOf other: FlowID? = nil,
        joining join: ((HistoryScene, FlowID) throws -> JoinedByPasskey)? = nil,
        signing challenge: (HistoryScene, FlowID) throws -> [UInt8] = {
            try $0.challenge($1, $0.waiting, .registration).bytes
        }
    ) throws -> RecordedEvent {
        history.time = history.time.adding(.seconds(1))
        let flow = FlowID(UUID()), id = UUID(), bytes = try challenge(self, flow)
        try history.register(newcomer)
        let registration = try #require(history.events.last).id
        let facts = PasskeyFacts(
            rpID: "acme.example", credentialID: [1],
            userHandle: try #require(Bytes32([UInt8](repeating: 1, count: 32))), isBackupEligible: false,
            isBackedUp: false, counter: 0, aaguid: [UInt8](repeating: 0, count: 16), challenge: bytes,
            evidence: try PasskeySaying().sign(bytes, waiting))
        var event = try EventCodec.encode(
            EmployeeKeyPresented(
                employeeID: newcomer.id, key: waiting.key, kind: .passkey, flow: flow, first: true, passkey: facts),
            id: UUID(), stream: .employee(newcomer.id, in: history.tenant), keys: [:],
            metadata: EventMetadata(app: app.app.uuid, requestId: "t\(history.time.microseconds)"))
        event.causes = [registration] + (isCaused ? [id] : [])
        try history.append(event)
        if let join = try join?(self, flow) {
            let new = try EventCodec.encode(
                join, id: id, stream: .user(join.userID), keys: [:], metadata: EventMetadata(app: app.app.uuid))
            return try Entry.decode(try Entry.encode(new, version: 2, time: history.time), at: 2)
        }
        let set = NewEvent(
            id: id, stream: .user(newcomer.user), type: CredentialsSet.type,
            data: [
                "userId": .uuid(newcomer.user.uuid), "secretless": true,
                "challenge": .bytes(try self.challenge(other ?? flow, waiting, .registration).bytes),
            ])
        return try Entry.decode(try Entry.encode(set, version: 1, time: history.time), at: 1)
    }

    /// Presents the waiting key as a passkey in a flow that proves a secret, as a log-in on a new device does.
    fileprivate mutating func presentProved(_ saying: PasskeySaying = PasskeySaying()) throws {
        history.time = history.time.adding(.seconds(1))
        let flow = try history.validate(staff, on: waiting, saying: saying)
        let bytes = try challenge(flow, waiting, .login).bytes
        let facts = PasskeyFacts(
            rpID: "acme.example", credentialID: [UInt8](repeating: 1, count: 16),
            userHandle: try #require(Bytes32([UInt8](repeating: 1, count: 32))), isBackupEligible: false,
            isBackedUp: false, counter: Int(saying.counter), aaguid: [UInt8](repeating: 0, count: 16),
            challenge: bytes, evidence: try saying.sign(bytes, waiting))
        try history.append(
            EmployeeKeyPresented(
                employeeID: staff.id, key: waiting.key, kind: .passkey, flow: flow, first: false, passkey: facts),
            about: staff)
    }

    /// Opens two log-ins by the passkey in one append, and the session of the first one.
    fileprivate mutating func usePasskeyTwice(_ saying: PasskeySaying) throws {
        history.time = history.time.adding(.seconds(1))
        let session = SessionID(UUID()), fingerprint = KeyFingerprint(of: waiting.key)
        var causes: [UUID] = []
        for _ in 0..<2 {
            let flow = FlowID(UUID()), challenge = try passkeyChallenge(flow)
            let validated = PasskeyValidated(
                employeeID: staff.id, fingerprint: fingerprint, flow: flow, challenge: challenge.bytes,
                evidence: try saying.sign(challenge.bytes, waiting))
            try append(validated, to: .passkey(validated, in: history.tenant), "twice")
            causes.append(try #require(history.events.last).id)
        }
        try history.append(
            SessionOpened(
                sessionID: session, employeeID: staff.id, fingerprint: fingerprint,
                expiresAt: history.time.adding(.seconds(3_600)), appID: app.app, secretID: app.secret),
            to: .session(session.uuid, in: history.tenant), causes: [causes[0]])
    }
}

/// What a service that has the right keys may not take a passkey for: a proved secret, or another account's.
@Suite struct `Histories of what a passkey proves` {
    private typealias Trail = AuthorityTrail
    private static let synced = PasskeySaying(flags: 0x0D)

    // MARK: A presented passkey proves no secret

    @Test func `an added passkey ends no wait`() throws {
        var scene = try HistoryScene.withPasskey(), flow = FlowID(scene.comeback.uuid)
        scene.history.time = scene.history.time.adding(.seconds(60))
        var end = try scene.end(flow)
        end.deviceSignature = try PasskeySaying().sign(end.challenge, scene.waiting)
        try scene.append(end)
        #expect(try scene.words() == [CauseTable.unproved])

        // It waits lawfully in a flow that proved a secret.
        scene = try HistoryScene.withPasskey()
        flow = try scene.history.validate(scene.staff, on: scene.waiting, saying: PasskeySaying())
        scene.history.time = scene.history.time.adding(.seconds(60))
        end = try scene.end(flow)
        end.deviceSignature = try PasskeySaying().sign(end.challenge, scene.waiting)
        try scene.append(end)
        #expect(try scene.words() == [])
    }

    @Test func `an added passkey is confirmed by no mail`() throws {
        var scene = try HistoryScene(), flow = FlowID(UUID())
        try scene.takePasskeys()
        try scene.presentPasskey(flow: flow)
        scene.history.time = scene.history.time.adding(.seconds(60))
        try scene.confirm(flow)
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        #expect(try scene.words() == [CauseTable.unprovedMail])

        scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.presentPasskey()
        flow = try scene.history.validate(scene.staff, on: scene.waiting, saying: PasskeySaying())
        scene.history.time = scene.history.time.adding(.seconds(60))
        try scene.confirm(flow)
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        #expect(try scene.words() == [])
    }

    @Test func `the authorization of an added passkey opens no session`() throws {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.presentPasskey()
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        try scene.logIn(scene.staff, on: scene.waiting)
        #expect(try scene.words() == [CauseTable.uncausedSession])

        // A device key whose flow proved a secret is countersigned with its session.
        scene = try HistoryScene()
        try scene.history.present(scene.waiting, of: scene.staff)
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        try scene.logIn(scene.staff, on: scene.waiting)
        #expect(try scene.words() == [])
    }

    @Test func `a passkey that was added counts as that, whatever its flow or another presentation proved`() throws {
        for isAddedLast in [false, true] {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            if isAddedLast { try scene.presentProved() }
            try scene.presentPasskey()
            if !isAddedLast { try scene.presentProved() }
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
            try scene.logIn(scene.staff, on: scene.waiting)
            #expect(try scene.words() == (isAddedLast ? [CauseTable.uncausedSession] : []))
        }
        // The challenge names a flow in which the same person proved a secret with another passkey.
        var scene = try HistoryScene.withPasskey()
        let flow = try scene.history.validate(scene.staff, on: scene.waiting, saying: PasskeySaying())
        let other = try SigningKeyPair()
        try scene.present(on: other, flow: flow, credential: 2)
        try scene.authorize(other, of: scene.staff, by: scene.asFounder)
        try scene.logIn(scene.staff, on: other)
        #expect(try scene.words() == [CauseTable.uncausedSession])
    }

    @Test func `an admin's decision about a passkey that was stopped opens no session`() throws {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.change(TenantPolicy(logIn: .passkeyOrSecret, clonedKey: .stop), by: scene.asFounder)
        try scene.presentProved(PasskeySaying(counter: 5))
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        try scene.logIn(scene.staff, on: scene.waiting)
        #expect(try scene.words() == [])
        scene.history.time = scene.history.time.adding(.seconds(600))
        try scene.history.append(
            PasskeyCounterRepeated(
                employeeID: scene.staff.id, fingerprint: KeyFingerprint(of: scene.waiting.key), counter: 5, previous: 5),
            about: scene.staff)
        try scene.authorize(scene.waiting, of: scene.staff, by: scene.asFounder)
        try scene.logIn(scene.staff, on: scene.waiting)
        #expect(try scene.words() == [CauseTable.uncausedSession])
    }

    @Test func `an account without a device key in force gets no passkey without a proof`() throws {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.history.register(scene.newcomer)
        try scene.present(of: scene.newcomer) { $0.first = true }
        var words = try scene.words()
        #expect(words.contains(Trail.addedWithoutKey) && words.contains(CauseTable.uncausedKey), "\(words)")

        // Nor if the event says that it is a further one, or if the other key waits.
        for first in [false, true] {
            scene = try HistoryScene()
            try scene.takePasskeys()
            try scene.history.register(scene.newcomer)
            if first { try scene.history.present(scene.newcomer.device, of: scene.newcomer) }
            try scene.present(of: scene.newcomer)
            words = try scene.words()
            #expect(words.contains(first ? Trail.addedWithoutKey : Trail.otherFacts), "\(words)")
        }
    }

    // MARK: A passkey of a registration

    @Test func `a registration presents a passkey over a challenge of its flow`() throws {
        let lawful: [(HistoryScene, FlowID) throws -> [UInt8]] = [
            { try $0.challenge($1, $0.waiting, .registration).bytes }, { try $0.passkeyChallenge($1).bytes },
        ]
        for challenge in lawful {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            let set = try scene.registerByPasskey(signing: challenge)
            #expect(try scene.words([set]) == [])
        }
        let unlawful: [(HistoryScene, FlowID) throws -> [UInt8]] = [
            { try $0.challenge($1, $0.waiting, .wait).bytes },
            { try $0.challenge($1, $0.waiting, .registration, lifetime: .seconds(-3_700)).bytes },
            { try $0.challenge($1, $0.waiting, .registration, lifetime: .seconds(600)).bytes },
            { try $0.passkeyChallenge($1, addedBy: $0.newcomer).bytes },
            { try $0.passkeyChallenge($1, lifetime: .seconds(600)).bytes },
        ]
        for challenge in unlawful {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            let set = try scene.registerByPasskey(signing: challenge)
            #expect(try scene.words([set]) == [Trail.unsignedPresentation])
        }
    }

    @Test func `a registration's passkey has its credentials in the directory`() throws {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        var set = try scene.registerByPasskey(credentialsOf: FlowID(UUID()))
        #expect(try scene.words([set]) == [CauseTable.uncausedKey])

        scene = try HistoryScene()
        try scene.takePasskeys()
        set = try scene.registerByPasskey(isCaused: false)
        #expect(try scene.words([set]) == [CauseTable.uncausedKey])
    }

    @Test func `somebody registers by a passkey of another company, with a challenge for that account`() throws {
        func words(
            of user: UserID? = nil,
            _ change: @escaping (inout PasskeyChallenge.Fields, HistoryScene) -> Void = { _, _ in }
        ) throws -> [String] {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            let join = try scene.registerByPasskey(joining: { scene, flow in
                var fields = try scene.passkeyChallenge(flow).fields
                (fields.tenant, fields.employee) = (UUID(), UUID())
                fields.joinedTenant = scene.history.tenant.uuid
                fields.joinedEmployee = scene.newcomer.id.uuid
                fields.joinedKey = KeyFingerprint(of: scene.waiting.key).bytes
                change(&fields, scene)
                let challenge = try PasskeyChallenge(fields), other = try SigningKeyPair()
                return JoinedByPasskey(
                    userID: user ?? scene.newcomer.user, key: other.key, challenge: challenge.bytes,
                    evidence: try PasskeySaying().sign(challenge.bytes, other))
            })
            #expect(EventSignatures.violation(join) == nil)
            return try scene.words([join])
        }
        #expect(try words() == [])
        let uncaused = [CauseTable.uncausedKey]
        #expect(try words(of: UserID(SignedHistory.userID())) == uncaused)
        #expect(try words { fields, _ in fields.joinedTenant = UUID() } == uncaused)
        #expect(try words { fields, scene in fields.joinedEmployee = scene.staff.id.uuid } == uncaused)
        #expect(try words { fields, _ in fields.joinedKey = [UInt8](repeating: 1, count: 32) } == uncaused)
        #expect(try words { fields, _ in fields.flow = UUID() } == uncaused)
    }

    @Test(arguments: [CredentialsSet.type, CredentialsChanged.type, JoinedByPasskey.type])
    func `what belongs into a directory causes nothing in a company's ledger`(type: String) throws {
        var scene = try HistoryScene()
        let flow = FlowID(UUID()), id = UUID()
        let challenge = try scene.challenge(flow, scene.waiting, .recovery).bytes
        try scene.history.append(
            NewEvent(
                id: id, stream: .tenant(scene.history.tenant), type: type,
                data: ["userId": .uuid(scene.staff.user.uuid), "challenge": .bytes(challenge)]))
        try scene.history.append(
            EmployeeKeyPresented(employeeID: scene.staff.id, key: scene.waiting.key, flow: flow, first: false),
            to: .employee(scene.staff.id, in: scene.history.tenant), causes: [id])
        let words = try scene.words()
        #expect(words.count == 2 && words.contains(CauseTable.uncausedKey), "\(words)")
    }

    // MARK: Challenges

    @Test func `a passkey is added to the account that its challenge names`() throws {
        func finding(_ challenge: @escaping (HistoryScene, FlowID) throws -> [UInt8]) throws {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            let before = scene
            try scene.presentPasskey { facts in
                let flow = try PasskeyChallenge(parsing: facts.challenge).fields.flow
                facts.challenge = try challenge(before, FlowID(flow))
                facts.evidence = try PasskeySaying().sign(facts.challenge, before.waiting)
            }
            try scene.history.expectFinding(Trail.unsignedPresentation)
        }
        try finding { try $0.passkeyChallenge($1).bytes }
        try finding { try $0.passkeyChallenge($1, addedBy: $0.peer).bytes }
        try finding { scene, flow in
            var fields = try scene.passkeyChallenge(flow, addedBy: scene.staff).fields
            fields.tenant = UUID()
            return try PasskeyChallenge(fields).bytes
        }
        try finding { try $0.passkeyChallenge($1, lifetime: .seconds(600), addedBy: $0.staff).bytes }
        // That of another flow belongs to another proof.
        try finding { try $0.challenge($1, $0.waiting, .login).bytes }

        var scene = try HistoryScene.withPasskey()
        let before = scene
        let position = try scene.use {
            $0.challenge = try before.passkeyChallenge($0.flow, addedBy: before.staff).bytes
            $0.evidence = try PasskeySaying().sign($0.challenge, before.waiting)
        }
        try scene.history.expectFinding(Trail.noAssertion, at: position)
    }

    @Test func `the challenge of a log-in lasts no longer than others`() throws {
        var scene = try HistoryScene.withPasskey()
        let position = try scene.usePasskey(lifetime: .seconds(600))
        try scene.history.expectFinding(Trail.lasting, at: position)
        scene = try HistoryScene.withPasskey()
        try scene.usePasskey(lifetime: .seconds(120))
        try scene.history.expectLawful()
    }

    // MARK: What counts as a proved secret

    /// What is found when an admin with a synced passkey decides, after a log-in.
    private func decision(after logIn: (inout HistoryScene) throws -> Void) throws -> [SignedHistory.Finding] {
        var scene = try HistoryScene.withPasskey(Self.synced)
        try scene.appoint(scene.staff, keys: [scene.waiting], by: scene.asFounder)
        try scene.history.register(scene.newcomer)
        scene.history.time = scene.history.time.adding(.seconds(1))
        try logIn(&scene)
        try scene.history.expectLawful("before the decision")
        scene.history.time = scene.history.time.adding(.seconds(1))
        let statement = try scene.statusStatement(.cancel, scene.newcomer, by: .member(scene.staff, scene.waiting))
        let by = try scene.signed(statement, Self.synced)
        try scene.history.append(
            EmployeeCancelled(employeeID: scene.newcomer.id, reason: .cancelled, note: nil, by: by),
            about: scene.newcomer)
        return try scene.history.verify().findings
    }

    @Test func `a synced passkey decides as admin after a log-in with a secret, at once or by a wait`() throws {
        let atOnce = try decision { scene in
            try scene.history.validate(scene.staff, on: scene.waiting, saying: Self.synced)
            try scene.logIn(scene.staff, on: scene.waiting)
        }
        #expect(atOnce == [])
        let byWait = try decision { scene in
            let flow = try scene.history.validate(scene.staff, on: scene.waiting, saying: Self.synced)
            scene.history.time = scene.history.time.adding(.seconds(60))
            var end = try scene.end(flow)
            end.deviceSignature = try Self.synced.sign(end.challenge, scene.waiting)
            try scene.append(end)
        }
        #expect(byWait == [])
        let earlier = try decision { scene in
            try scene.history.validate(scene.staff, on: scene.waiting, saying: Self.synced)
            try scene.logIn(scene.staff, on: scene.waiting)
            try scene.usePasskey(Self.synced)
        }
        #expect(earlier == [])
    }

    @Test func `nothing else counts as a proved secret`() throws {
        let words = ["the caller may not cancel an account; the decision is about an ordinary employee"]
        #expect(try decision { _ in }.map(\.words) == words)
        #expect(try decision { try $0.usePasskey(Self.synced) }.map(\.words) == words)
        #expect(try decision { try $0.usePasskeyTwice(Self.synced) }.map(\.words) == words)
    }

    // MARK: adminsNeedPasskey

    /// What is found when the founder's passkey sets the policy so long after it was authorized.
    private func strict(after hours: Int, in age: Int) throws -> [String] {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        scene.history.time = scene.history.time.adding(.seconds(age * 3_600))
        try scene.present(of: scene.founder)
        try scene.authorize(scene.waiting, of: scene.founder, by: scene.asFounder)
        scene.history.time = scene.history.time.adding(.seconds(hours * 3_600))
        var policy = TenantPolicy(logIn: .passkeyOrSecret)
        policy.adminsNeedPasskey = true
        let statement = PolicyStatement(
            context: try scene.history.context(.member(scene.founder, scene.waiting)), settings: policy.settings,
            policyHash: scene.history.state.leaf(scene.history.state.tenant.policySince))
        let signature = try PasskeySaying().sign(statement.bytes, scene.waiting)
        try scene.history.append(
            TenantPolicyChanged(
                policy: policy,
                by: .employee(
                    scene.founder.id,
                    SignedStatement(key: scene.waiting.key, statement: statement.bytes, signature: signature))))
        return try scene.words()
    }

    @Test func `a passkey that somebody added a moment ago does not keep other keys from the role`() throws {
        #expect(try strict(after: 1, in: 0) == [])
        #expect(try strict(after: 73, in: 80) == [])
        let words = try strict(after: 71, in: 80)
        #expect(words.count == 1 && words.first?.contains("passkeyTooNew") == true, "\(words)")
    }

    // MARK: Origins

    @Test func `a check without the whole system ledger says that origins are not proved`() throws {
        let scene = try HistoryScene.withPasskey(), bare = try HistoryScene()
        func notes(_ scene: HistoryScene) -> Int {
            let notes = scene.history.state.notes(of: scene.history.ledger)
            return notes.count { $0.detail.contains("the origins of 1 passkeys") }
        }
        #expect(notes(scene) == 1 && notes(bare) == 0)
    }

    @Test func `in a ledger that is ahead, the origins of the append count`() throws {
        var scene = try HistoryScene.withPasskey()
        let start = scene.history.time
        scene.history.time = start.adding(.seconds(36_000))
        let position = try scene.usePasskey()
        scene.history.time = start.adding(.seconds(3_600))
        let others = [try ClientOrigin("https://other.acme.example")]
        try scene.history.append(
            scene.history.byOperator(on: .origins) { OriginsChanged(rpID: "acme.example", origins: others, by: $0) },
            to: .origins)
        var system = LogInspector(checksSignatures: true)
        for event in scene.history.system { #expect((system.inspect(event) ?? system.follow(event)) == nil) }
        func words(_ times: LedgerTimes) -> String? {
            var trail = AuthorityTrail(system: system.authority, times: times), found: String?
            for event in scene.history.events {
                _ = trail.times.take(event.time, at: event.position, request: event.requestId)
                let words = trail.follow(event)
                if event.position == position { found = words }
            }
            return found
        }
        let size = scene.history.last, clock = start.adding(.seconds(60))
        #expect(words(LedgerTimes()) == Trail.otherKind)
        #expect(words(LedgerTimes(covers: [.init(size: size, clock: clock, before: start)], last: clock)) == nil)
    }
}
