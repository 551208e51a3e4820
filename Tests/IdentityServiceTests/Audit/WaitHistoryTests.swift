import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// What happens to a device key that a browser waits with.
extension HistoryScene {
    /// Proves somebody's answers on the waiting device, and presents its key.
    mutating func beginWait(_ member: SignedHistory.Member? = nil) throws -> FlowID {
        let member = member ?? staff, flow = try history.validate(member, on: waiting)
        let isFirst = history.state.employees[member.id]?.keys.isEmpty ?? true
        try history.append(
            EmployeeKeyPresented(employeeID: member.id, key: waiting.key, flow: flow, first: isFirst), about: member)
        history.time = history.time.adding(.seconds(60))
        return flow
    }

    /// The challenge of a wait.
    func challenge(
        _ flow: FlowID, _ pair: SigningKeyPair, _ purpose: Challenge.Purpose = .wait, app: UUID? = nil,
        lifetime: Duration = .seconds(60)
    ) throws -> Challenge {
        let hash = [UInt8](repeating: 7, count: 32)
        return try Challenge(
            .init(
                issuer: "tenure", purpose: purpose, flow: flow.uuid, nonce: hash, tenant: history.tenant.uuid,
                subject: try Commitment.subject(salt: hash, companyName: "acme.example", companyEmployeeId: "7"),
                app: (app ?? self.app.app.uuid).lowercased, employeeKey: try EmployeePublicKey(bytes: pair.key.bytes),
                credential: nil, expires: history.time.adding(lifetime)))
    }

    /// The end of a wait, signed.
    func end(
        _ flow: FlowID, of member: SignedHistory.Member? = nil, on pair: SigningKeyPair? = nil,
        signing challenge: Challenge? = nil, by signer: SigningKeyPair? = nil
    ) throws -> WaitEnded {
        let pair = pair ?? waiting
        let challenge = try challenge ?? self.challenge(flow, pair)
        return WaitEnded(
            flow: flow, employeeID: (member ?? staff).id, sessionID: SessionID(UUID()), key: pair.key,
            challenge: challenge.bytes, deviceSignature: try (signer ?? pair).sign(challenge.bytes).signature)
    }

    /// Appends the end of a wait with its session, as the service does.
    mutating func append(
        _ end: WaitEnded, in flow: FlowID? = nil, session: SessionID? = nil, opensSession: Bool = true
    ) throws {
        let id = session ?? end.sessionID, request = "wait-\(id)"
        try append(end, to: .wait((flow ?? end.flow).uuid, in: history.tenant), request)
        guard opensSession else { return }
        try append(
            SessionOpened(
                sessionID: id, employeeID: end.employeeID, fingerprint: KeyFingerprint(of: end.key),
                expiresAt: history.time.adding(.seconds(3_600)), appID: app.app, secretID: app.secret),
            to: .session(id.uuid, in: history.tenant), request)
    }

    /// Appends an event of the app with the causes that the service names.
    mutating func append(_ payload: any EventPayload, to stream: StreamID, _ request: String) throws {
        let metadata = EventMetadata(app: app.app.uuid, requestId: request)
        var event = try EventCodec.encode(payload, id: UUID(), stream: stream, keys: [:], metadata: metadata)
        event.causes = history.causes(of: event)
        try history.append(event)
    }

    /// Appends the confirmation of a device by mail.
    mutating func confirm(
        _ flow: FlowID, of member: SignedHistory.Member? = nil, _ pair: SigningKeyPair? = nil
    ) throws {
        history.pace = .zero
        try history.append(
            DeviceMailConfirmed(
                flow: flow, employeeID: (member ?? staff).id, fingerprint: KeyFingerprint(of: (pair ?? waiting).key),
                address: 1),
            to: .wait(flow.uuid, in: history.tenant))
    }
}

extension HistoryScene {
    /// What a verification says about the history, with what an append lacks.
    fileprivate func words() throws -> [String] {
        try history.verify().findings.map(\.words) + causes().unresolved.map(\.detail)
    }

    /// The causes of the events, after the ledger was read.
    fileprivate func causes() -> CauseTrail {
        var inspector = history.inspector()
        _ = history.findings(with: &inspector)
        var causes = inspector.validated.causes
        causes.complete(history.ledger)
        return causes
    }
}

/// Histories with one deviation each from what a waiting browser may do.
@Suite struct WaitHistoryTests {
    /// What a verification says about a history, without what only directories resolve.
    private func words(_ change: (inout HistoryScene, FlowID) throws -> Void) throws -> [String] {
        var scene = try HistoryScene()
        let flow = try scene.beginWait()
        try change(&scene, flow)
        return try scene.words()
    }

    /// The same for a key that an app authorized.
    private func authorized(_ change: (inout HistoryScene, FlowID) throws -> Void) throws -> [String] {
        try words { scene, flow in
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
            try change(&scene, flow)
        }
    }

    @Test func `a wait that ends with its session is lawful, and the session has its cause`() throws {
        var scene = try HistoryScene()
        let flow = try scene.beginWait()
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        scene.history.time = scene.history.time.adding(.seconds(1_700))
        try scene.append(try scene.end(flow))
        try scene.history.expectLawful()
        let causes = scene.causes()
        #expect(causes.unresolved == [] && causes.violations == [])
    }

    @Test func `a session whose wait is another one has no cause`() throws {
        var scene = try HistoryScene()
        let flow = try scene.beginWait()
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        scene.history.time = scene.history.time.adding(.seconds(1))
        try scene.append(try scene.end(flow), session: SessionID(UUID()))
        let causes = scene.causes()
        #expect(causes.unresolved.map(\.detail) == [CauseTable.sessionless, CauseTable.uncausedSession])
    }

    @Test func `a wait without its session is found`() throws {
        let found = try authorized { try $0.append(try $0.end($1), opensSession: false) }
        #expect(found == [CauseTable.sessionless])
    }

    @Test func `a flow that was not proved with the key, by the person, in time, opens no session`() throws {
        let stranger = try authorized { scene, _ in try scene.append(try scene.end(FlowID(UUID()))) }
        #expect(stranger == [CauseTable.unproved])
        let otherKey = try authorized { scene, flow in
            try scene.append(try scene.end(flow, on: scene.staff.device))
        }
        #expect(otherKey == [CauseTable.unproved])
        let otherPerson = try authorized { scene, flow in
            try scene.append(try scene.end(flow, of: scene.peer, on: scene.peer.device))
        }
        #expect(otherPerson == [CauseTable.unproved])
        let late = try authorized { scene, flow in
            scene.history.time = scene.history.time.adding(.seconds(1_800))
            try scene.append(try scene.end(flow))
        }
        #expect(late == [CauseTable.unproved])
    }

    @Test func `a flow opens one session`() throws {
        let found = try authorized { scene, flow in
            for _ in 0..<2 {
                scene.history.time = scene.history.time.adding(.seconds(1))
                try scene.append(try scene.end(flow))
            }
        }
        #expect(found == ["the wait of a flow ends a second time"])
    }

    @Test func `a key that is not in force ends no wait`() throws {
        #expect(try words { try $0.append(try $0.end($1)) } == [AuthorityTrail.waitWithoutKey])
        let revoked = try authorized { scene, flow in
            try scene.end(.revoke, scene.waiting, of: scene.staff, by: scene.asAdmin)
            try scene.append(try scene.end(flow))
        }
        #expect(revoked == [AuthorityTrail.waitWithoutKey])
        let refused = try words { scene, flow in
            try scene.end(.refuse, scene.waiting, of: scene.staff, by: scene.asAdmin)
            try scene.append(try scene.end(flow))
        }
        #expect(refused == [AuthorityTrail.waitWithoutKey])
    }

    @Test func `the signature is the device's, over the challenge of this wait`() throws {
        func found(_ make: (HistoryScene, FlowID) throws -> WaitEnded) throws -> [String] {
            try authorized { try $0.append(try make($0, $1)) }
        }
        let forged = "a signature or its signed bytes are not valid"
        #expect(try found { try $0.end($1, by: $0.staff.device) } == [forged])
        #expect(
            try found { try $0.end($1, signing: $0.challenge($1, $0.waiting, .login)) } == [
                "the challenge is for another purpose"
            ])
        #expect(
            try found { try $0.end($1, signing: $0.challenge(FlowID(UUID()), $0.waiting)) } == [
                "the challenge is of another flow"
            ])
        #expect(
            try found { try $0.end($1, signing: $0.challenge($1, $0.staff.device)) } == [
                "the challenge is of another device"
            ])
        #expect(
            try found { try $0.end($1, signing: $0.challenge($1, $0.waiting, app: $0.personnel.app.uuid)) } == [
                "the challenge is of another app"
            ])
        // A time like that of the event before may have been raised to it.
        let late = try authorized { scene, flow in
            scene.history.time = scene.history.time.adding(.seconds(2))
            try scene.append(
                try scene.end(flow, signing: scene.challenge(flow, scene.waiting, lifetime: .seconds(-1))))
        }
        #expect(late == [AuthorityTrail.waitTooLate])
    }

    @Test func `the end of a wait stands in the stream of its flow`() throws {
        let found = try authorized { try $0.append(try $0.end($1), in: FlowID(UUID())) }
        #expect(found == ["the event is not in its subject's stream"])
    }
}

/// Histories with one deviation each from what a mail may confirm.
@Suite struct DeviceMailHistoryTests {
    private func words(_ change: (inout HistoryScene) throws -> Void) throws -> [String] {
        var scene = try HistoryScene()
        try change(&scene)
        return try scene.words()
    }

    @Test func `a mail confirms another device of an employee, and the wait ends`() throws {
        let found = try words { scene in
            let flow = try scene.beginWait()
            try scene.confirm(flow)
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
            scene.history.time = scene.history.time.adding(.seconds(1))
            try scene.append(try scene.end(flow))
        }
        #expect(found == [])
    }

    @Test func `a confirmation without the app's authorization of that key is found`() throws {
        #expect(try words { try $0.confirm(try $0.beginWait()) } == [CauseTable.unvouched])
        let byAdmin = try words { scene in
            try scene.confirm(try scene.beginWait())
            try scene.authorize(scene.waiting, of: scene.staff, by: scene.asAdmin)
        }
        #expect(byAdmin == [CauseTable.unvouched])
        let otherKey = try words { scene in
            let other = try SigningKeyPair()
            try scene.history.present(other, of: scene.staff)
            try scene.confirm(try scene.beginWait())
            try scene.authorize(other, of: scene.staff, by: .app(scene.app))
        }
        #expect(otherKey == [CauseTable.unvouched])
        let later = try words { scene in
            try scene.confirm(try scene.beginWait())
            scene.history.time = scene.history.time.adding(.seconds(1))
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        }
        #expect(later == [CauseTable.unvouched])
    }

    @Test func `a flow that was not proved with the key confirms nothing`() throws {
        let stranger = try words { scene in
            _ = try scene.beginWait()
            try scene.confirm(FlowID(UUID()))
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        }
        #expect(stranger == [CauseTable.unprovedMail])
        let late = try words { scene in
            let flow = try scene.beginWait()
            scene.history.time = scene.history.time.adding(.seconds(1_801))
            try scene.confirm(flow)
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        }
        #expect(late == [CauseTable.unprovedMail])
    }

    @Test func `a further key is not confirmed in a flow whose secrets were chosen`() throws {
        let found = try words { scene in
            // A recovery: new credentials in the person's directory presented the key.
            let flow = FlowID(UUID()), stream = StreamID.employee(scene.staff.id, in: scene.history.tenant)
            let presented = EmployeeKeyPresented(
                employeeID: scene.staff.id, key: scene.waiting.key, flow: flow, first: false)
            try scene.history.append(presented, to: stream, causes: [UUID()])
            scene.history.time = scene.history.time.adding(.seconds(60))
            try scene.confirm(flow)
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        }
        #expect(found == [CauseTable.chosenSecret])
    }

    @Test func `a key is confirmed once, and never after a decision`() throws {
        let twice = try words { scene in
            let flow = try scene.beginWait()
            try scene.confirm(flow)
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
            try scene.confirm(flow)
        }
        #expect(twice == [AuthorityTrail.mailForNoKey])
        let refused = try words { scene in
            let flow = try scene.beginWait()
            try scene.end(.refuse, scene.waiting, of: scene.staff, by: scene.asAdmin)
            try scene.confirm(flow)
        }
        #expect(refused.first == AuthorityTrail.mailForNoKey)
    }

    @Test func `no mail confirms a device of an admin, or under the policy of admins`() throws {
        let admin = try words { scene in
            let flow = try scene.beginWait(scene.peer)
            try scene.confirm(flow, of: scene.peer)
        }
        #expect(admin.first == AuthorityTrail.mailForAdmin)
        let policy = try words { scene in
            try scene.change(TenantPolicy(keyAuthorization: .securityAdmin), by: scene.asFounder)
            try scene.confirm(try scene.beginWait())
        }
        #expect(policy.first == AuthorityTrail.mailForAdmin)
    }

    @Test func `the first device of an account needs a confirmed domain or an invitation`() throws {
        func first(_ arrange: (inout HistoryScene) throws -> Void) throws -> [String] {
            try words { scene in
                try arrange(&scene)
                let flow = try scene.beginWait(scene.newcomer)
                try scene.confirm(flow, of: scene.newcomer)
                try scene.authorize(scene.waiting, of: scene.newcomer, by: .app(scene.app))
            }
        }
        #expect(try first { try $0.history.register($0.newcomer) } == [AuthorityTrail.mailForStranger])
        let domain = try first { scene in
            try scene.confirmDomain()
            try scene.history.register(scene.newcomer)
        }
        #expect(domain == [])
        let invited = try first { scene in
            try scene.invite(by: scene.asAdmin)
            try scene.register(scene.newcomer)
        }
        #expect(invited == [])
    }
}
