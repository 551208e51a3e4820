import Canonical
import EventCoding
import Foundation
@testable import Identity
import Keys
import Testing

@testable import Credentials
@testable import IdentityService
@testable import Ledger

/// Histories whose events name causes, right ones and others, as a process with the service's keys may.
@Suite struct CauseHistoryTests {
    /// What is found in a history: at once, after the tenant's ledger, and after the directories.
    private struct Found: Equatable {
        var atOnce: [String] = []
        var after: [String] = []
        var inDirectories: [String] = []
    }

    private func found(
        _ directory: (HistoryScene) throws -> [RecordedEvent] = { _ in [] },
        _ change: (inout HistoryScene) throws -> Void
    ) throws -> Found {
        var scene = try HistoryScene()
        scene.history.pace = .zero
        scene.history.time = scene.history.time.adding(.seconds(1))
        try change(&scene)
        var inspector = scene.history.inspector()
        var found = Found(atOnce: scene.history.findings(with: &inspector).map(\.words))
        var causes = inspector.validated.causes
        causes.complete(scene.history.ledger)
        found.after = causes.unresolved.map(\.detail)
        for event in try directory(scene) { found.atOnce += [causes.match(event)].compactMap(\.self) }
        found.inDirectories = causes.violations.map(\.detail)
        return found
    }

    /// Proves the answers of somebody, and returns the event.
    private func proof(_ scene: inout HistoryScene, of member: SignedHistory.Member, on pair: SigningKeyPair? = nil)
        throws
        -> UUID
    {
        try scene.history.validate(member, on: pair ?? member.device)
        return try newest(scene)
    }

    private func newest(_ scene: HistoryScene) throws -> UUID { try #require(scene.history.events.last).id }

    private static let uncaused = Found(after: [CauseTable.uncausedSession])

    @Test func `a proof counts in the stream of its flow, and a session in its own`() throws {
        let copied = try found { scene in
            _ = try proof(&scene, of: scene.staff)
            let proof = try #require(scene.history.events.last)
            scene.history.time = scene.history.time.adding(.seconds(7_200))
            let place = StreamID(ledger: scene.history.ledger, kind: "copy", id: proof.stream.id)
            _ = try scene.history.append(
                NewEvent(id: UUID(), stream: place, type: proof.type, schema: proof.schema, data: proof.data))
            try scene.logIn(scene.staff, causes: [try newest(scene)])
        }
        #expect(copied.atOnce == ["a flow has a second proof"])
        let elsewhere = try found { scene in
            let proof = try proof(&scene, of: scene.staff), id = SessionID(UUID())
            let session = SessionOpened(
                sessionID: id, employeeID: scene.staff.id, fingerprint: KeyFingerprint(of: scene.staff.device.key),
                expiresAt: scene.history.time.adding(.seconds(3_600)), appID: scene.app.app,
                secretID: scene.app.secret)
            try scene.history.append(session, to: .session(UUID(), in: scene.history.tenant), causes: [proof])
        }
        #expect(elsewhere.atOnce == [CauseTable.uncausedSession])
    }

    @Test func `a session names the proof of its person and device, of the same append`() throws {
        let right = try found { scene in
            let proof = try proof(&scene, of: scene.staff)
            try scene.logIn(scene.staff, causes: [proof])
        }
        #expect(right == Found())
        let missing = try found { scene in
            _ = try proof(&scene, of: scene.staff)
            try scene.logIn(scene.staff, causes: [])
        }
        #expect(missing == Self.uncaused)
        let otherPerson = try found { scene in
            let proof = try proof(&scene, of: scene.peer, on: scene.staff.device)
            try scene.logIn(scene.staff, causes: [proof])
        }
        #expect(otherPerson == Self.uncaused)
        let otherDevice = try found { scene in
            let proof = try proof(&scene, of: scene.staff, on: scene.staff.vouched)
            try scene.logIn(scene.staff, causes: [proof])
        }
        #expect(otherDevice == Self.uncaused)
        let otherType = try found { scene in
            try scene.history.present(scene.waiting, of: scene.staff)
            let presented = try newest(scene)
            try scene.logIn(scene.staff, on: scene.waiting, causes: [presented])
        }
        #expect(otherType == Self.uncaused)
        let earlier = try found { scene in
            let proof = try proof(&scene, of: scene.staff)
            scene.history.time = scene.history.time.adding(.milliseconds(1))
            try scene.logIn(scene.staff, causes: [proof])
        }
        #expect(earlier == Self.uncaused)
    }

    @Test func `an event causes one event of a type`() throws {
        let twice = try found { scene in
            let proof = try proof(&scene, of: scene.staff)
            for _ in 0..<2 { try scene.logIn(scene.staff, causes: [proof]) }
        }
        #expect(twice == Self.uncaused)
        let twiceInOne = try found { scene in
            let proof = try proof(&scene, of: scene.staff)
            try scene.logIn(scene.staff, causes: [proof, proof])
        }
        #expect(twiceInOne == Found(atOnce: [CauseTable.wrong]))
        let elsewhere = try found { scene in
            let cause = UUID()
            for _ in 0..<2 { try scene.logIn(scene.staff, causes: [cause]) }
        }
        #expect(elsewhere == Found(after: [CauseTable.uncausedSession], inDirectories: [CauseTable.uncausedSession]))
    }

    @Test func `a cause may follow its effect in the append, as the proof of somebody known who registers`() throws {
        func registered(by member: (HistoryScene) -> SignedHistory.Member) throws -> Found {
            try found { scene in
                let member = member(scene)
                // The proof's id is made before it is appended.
                var scenery = scene
                try scenery.history.validate(member, on: scene.newcomer.device)
                let proof = try #require(scenery.history.events.last)
                try scene.history.register(scene.newcomer)
                let registration = try newest(scene)
                let presented = EmployeeKeyPresented(
                    employeeID: scene.newcomer.id, key: scene.newcomer.device.key, flow: FlowID(proof.stream.id),
                    first: true)
                try scene.history.append(
                    presented, to: .employee(scene.newcomer.id, in: scene.history.tenant),
                    causes: [registration, proof.id])
                try scene.history.append(
                    NewEvent(
                        id: proof.id, stream: proof.stream, type: proof.type, schema: proof.schema, data: proof.data))
            }
        }
        #expect(try registered { $0.newcomer } == Found())
        #expect(try registered { $0.peer } == Found(after: [CauseTable.uncausedKey]))
    }

    /// An event of the staff's directory with the challenge of a flow and a device.
    private func credentials(
        _ id: UUID, _ flow: FlowID, _ scene: HistoryScene, of user: UserID? = nil,
        type: String = CredentialsChanged.type
    ) throws -> RecordedEvent {
        let user = user ?? scene.staff.user, challenge = try scene.challenge(flow, scene.waiting, .recovery)
        let new = NewEvent(
            id: id, stream: .user(user), type: type,
            data: ["userId": .uuid(user.uuid), "challenge": .bytes(challenge.bytes)])
        return try Entry.decode(try Entry.encode(new, version: 2, time: scene.history.time), at: 1)
    }

    @Test func `a cause in the person's directory is found there, and is no finding where that is not held`() throws {
        let cause = UUID(), flow = FlowID(UUID())
        func present(_ scene: inout HistoryScene) throws {
            let presented = EmployeeKeyPresented(
                employeeID: scene.staff.id, key: scene.waiting.key, flow: flow, first: false)
            try scene.history.append(
                presented, to: .employee(scene.staff.id, in: scene.history.tenant), causes: [cause])
        }
        let lacking = Found(inDirectories: [CauseTable.uncausedKey])
        // A bundle without the directory ends here: nothing is found in the tenant's ledger.
        #expect(try found({ _ in [] }, present) == lacking)
        #expect(try found({ [try credentials(cause, flow, $0)] }, present) == Found())
        #expect(try found({ [try credentials(UUID(), flow, $0)] }, present) == lacking)
        #expect(try found({ [try credentials(cause, FlowID(UUID()), $0)] }, present) == lacking)
        #expect(try found({ [try credentials(cause, flow, $0, of: $0.peer.user)] }, present) == lacking)
        #expect(try found({ [try credentials(cause, flow, $0, type: EmailVerified.type)] }, present) == lacking)
    }

    @Test func `an event whose kind has no cause names none`() throws {
        let consent = try found { scene in
            let proof = try proof(&scene, of: scene.staff)
            try scene.logIn(scene.staff, causes: [proof])
            try scene.history.append(
                ConsentGiven(employeeID: scene.staff.id, clientID: scene.personnel.app, scopes: [.openid]),
                to: .consent(scene.staff.id, to: scene.personnel.app, in: scene.history.tenant), causes: [proof])
        }
        #expect(consent == Found(atOnce: [CauseTable.wrong]))
        let decision = try found { scene in
            let by = try scene.status(.cancel, scene.staff, by: scene.asFounder)
            try scene.history.append(
                EmployeeCancelled(employeeID: scene.staff.id, reason: .cancelled, by: by),
                to: .employee(scene.staff.id, in: scene.history.tenant), causes: [UUID()])
        }
        #expect(decision == Found(atOnce: [CauseTable.wrong]))
    }

    @Test func `an app's authorization may name the presentation of its key, and nothing else`() throws {
        func authorized(_ causes: (HistoryScene) throws -> [UUID]) throws -> Found {
            try found { scene in
                try scene.history.present(scene.waiting, of: scene.staff)
                try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
                let event = try #require(scene.history.events.last)
                try scene.history.replaceLast(causes: causes(scene), of: event)
            }
        }
        func presentation(of pair: SigningKeyPair, _ scene: HistoryScene) throws -> UUID {
            let key = JSONValue.bytes(pair.key.bytes)
            return try #require(
                scene.history.events.first { $0.type == EmployeeKeyPresented.type && $0.data["key"] == key }
            ).id
        }
        #expect(try authorized { _ in [] } == Found())
        #expect(try authorized { [try presentation(of: $0.waiting, $0)] } == Found())
        #expect(try authorized { [try presentation(of: $0.staff.device, $0)] } == Found(atOnce: [CauseTable.wrong]))
        #expect(try authorized { _ in [UUID()] } == Found(atOnce: [CauseTable.wrong]))
    }

    @Test func `a browser session and a grant name the event that opened their session`() throws {
        func opened(_ payload: (HistoryScene, SessionID) -> (any EventPayload, StreamID)) throws -> [Found] {
            func with(_ causes: (_ session: UUID, _ other: UUID) -> [UUID]) throws -> Found {
                try found { scene in
                    for member in [scene.peer, scene.staff] {
                        let proof = try proof(&scene, of: member)
                        try scene.logIn(member, causes: [proof])
                    }
                    let sessions = scene.history.events.filter { $0.type == SessionOpened.type }
                    let (event, stream) = payload(scene, SessionID(sessions[1].stream.id))
                    try scene.history.append(event, to: stream, causes: causes(sessions[1].id, sessions[0].id))
                }
            }
            return [try with { own, _ in [own] }, try with { _, other in [other] }, try with { _, _ in [] }]
        }
        let wrong = Found(atOnce: [CauseTable.wrong]), expected = [Found(), wrong, wrong]
        let browsed = try opened { scene, session in
            let id = BrowserSessionID(UUID())
            return (
                BrowserSessionOpened(browserSessionID: id, sessionID: session, employeeID: scene.staff.id),
                .browserSession(id, in: scene.history.tenant)
            )
        }
        #expect(browsed == expected)
        let granted = try opened { scene, session in
            let id = GrantID(UUID())
            return (
                GrantOpened(
                    grantID: id, sessionID: session, employeeID: scene.staff.id, clientID: scene.personnel.app,
                    scopes: [.openid], expiresAt: scene.history.time.adding(.seconds(60))),
                .grant(id, in: scene.history.tenant)
            )
        }
        #expect(granted == expected)
    }

    @Test func `events with one statement name the first one`() throws {
        func dismissed(_ causes: ([UUID]) -> [UUID]) throws -> Found {
            try found { scene in
                let by = try scene.status(.cancel, scene.peer, by: scene.asFounder)
                try scene.history.append(
                    EmployeeCancelled(employeeID: scene.peer.id, reason: .cancelled, by: by), about: scene.peer)
                let first = try newest(scene)
                try scene.history.append(
                    AdminDismissed(employeeID: scene.peer.id, by: by), to: .tenant(scene.history.tenant),
                    causes: causes([first]))
            }
        }
        #expect(try dismissed { $0 } == Found())
        #expect(try dismissed { _ in [] } == Found(atOnce: [UsedStatements.words]))
        #expect(try dismissed { _ in [UUID()] } == Found(atOnce: [UsedStatements.words]))
    }

    @Test func `an id is released for the invitation that was used in the append, once`() throws {
        func released(_ times: Int = 1, later: Duration = .zero) throws -> Found {
            try found { scene in
                let holders = try (0..<2).map { _ in
                    SignedHistory.Member(device: try SigningKeyPair(), vouched: try SigningKeyPair())
                }
                for holder in holders {
                    try scene.history.register(holder)
                    try scene.history.present(holder.device, of: holder)
                }
                try scene.invite(by: scene.asAdmin)
                try scene.register(scene.newcomer)
                try scene.history.present(scene.newcomer.device, of: scene.newcomer)
                let use = try #require(scene.history.events.last { $0.type == InvitationUsed.type }).id
                scene.history.time = scene.history.time.adding(later)
                for holder in holders.prefix(times) {
                    try scene.history.append(
                        EmployeeIdReleased(employeeID: holder.id, reason: .invited, by: .policy),
                        to: .employee(holder.id, in: scene.history.tenant), causes: [use])
                }
            }
        }
        let refused = Found(atOnce: [CauseTable.uninvited])
        #expect(try released() == Found())
        #expect(try released(2) == refused)
        #expect(try released(later: .milliseconds(1)) == refused)
    }

    @Test func `an append names its causes by the table, whatever their order`() throws {
        let tenant = TenantID(UUID()), employee = EmployeeID(UUID()), flow = UUID()
        let key = try SigningKeyPair().key
        func event(_ type: String, _ stream: StreamID, _ data: JSONValue) -> NewEvent {
            NewEvent(id: UUID(), stream: stream, type: type, data: data)
        }
        let id: JSONValue = .uuid(employee.uuid), bytes: JSONValue = .bytes(key.bytes)
        let account = StreamID.employee(employee, in: tenant)
        let statement: JSONValue = ["kind": "employee", "statement": "c2lnbmVk"]
        let events = [
            event(EmployeeRegistered.type, account, ["employeeId": id]),
            event(
                EmployeeKeyPresented.type, account,
                ["employeeId": id, "key": bytes, "flow": .uuid(flow), "first": true]),
            event(AnswersValidated.type, .flow(flow, in: tenant), ["employeeId": id, "employeeKey": bytes]),
            event(
                SessionOpened.type, .session(UUID(), in: tenant),
                ["employeeId": id, "fingerprint": .string(KeyFingerprint(of: key).description)]),
            event(EmployeeCancelled.type, account, ["employeeId": id, "by": statement]),
            event(AdminDismissed.type, .tenant(tenant), ["employeeId": id, "by": statement]),
        ]
        let ids = events.map(\.id)
        #expect(
            CauseTable.naming(events).map(\.causes) == [[], [ids[2], ids[0]], [], [ids[2]], [], [ids[4]]])
    }
}
