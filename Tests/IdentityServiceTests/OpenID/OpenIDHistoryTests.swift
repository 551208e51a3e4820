import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

extension HistoryScene {
    /// The client of these histories: an app that the tenant links, beside the one that opens sessions.
    fileprivate var client: AppID { personnel.app }

    /// Logs in, and returns the session.
    fileprivate mutating func session(of member: SignedHistory.Member) throws -> SessionID {
        try logIn(member)
        return SessionID(try #require(history.events.last).stream.id)
    }

    @discardableResult
    fileprivate mutating func browse(_ session: SessionID, _ employee: EmployeeID) throws -> BrowserSessionID {
        let id = BrowserSessionID(UUID())
        try history.append(
            BrowserSessionOpened(browserSessionID: id, sessionID: session, employeeID: employee),
            to: .browserSession(id, in: history.tenant))
        return id
    }

    @discardableResult
    fileprivate mutating func grant(
        _ session: SessionID, _ employee: EmployeeID, to client: AppID? = nil, at place: GrantID? = nil
    ) throws -> GrantID {
        let id = GrantID(UUID())
        try history.append(
            GrantOpened(
                grantID: id, sessionID: session, employeeID: employee, clientID: client ?? self.client,
                scopes: [.openid], expiresAt: history.time.adding(.seconds(60))),
            to: .grant(place ?? id, in: history.tenant))
        return id
    }

    fileprivate mutating func endSessions(
        of member: SignedHistory.Member, by decider: SignedHistory.Decider
    ) throws {
        let reason = try #require(ReasonCode("sessions_ended"))
        try decide(.endSessions, about: member, by: decider) {
            EmployeeSessionsEnded(employeeID: member.id, reason: reason, by: $0)
        }
    }

    fileprivate mutating func end(_ grant: GrantID) throws {
        try history.append(
            GrantClosed(grantID: grant, reason: .tokenRevoked), to: .grant(grant, in: history.tenant))
    }

    fileprivate mutating func end(_ session: SessionID) throws {
        try history.append(
            SessionClosed(sessionID: session, reason: .closed), to: .session(session.uuid, in: history.tenant))
    }

    fileprivate mutating func consent(isGiven: Bool) throws {
        let stream = StreamID.consent(staff.id, to: client, in: history.tenant)
        if isGiven {
            try history.append(ConsentGiven(employeeID: staff.id, clientID: client, scopes: [.openid]), to: stream)
        } else {
            try history.append(ConsentWithdrawn(employeeID: staff.id, clientID: client), to: stream)
        }
    }
}

/// What verification finds about browser sessions, grants and consents.
@Suite struct OpenIDHistoryTests {
    private typealias Step = HistoryScene.Step

    /// Expects that a step after a log-in of the staff is found in these words.
    private func expect(
        _ words: String, after arrange: (inout HistoryScene, SessionID) throws -> Void = { _, _ in },
        _ violate: (inout HistoryScene, SessionID) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var session: SessionID?
        try HistoryScene.expect(
            words,
            after: {
                let opened = try $0.session(of: $0.staff)
                session = opened
                try arrange(&$0, opened)
            }, { try violate(&$0, try #require(session)) }, sourceLocation: sourceLocation)
    }

    @Test func `what the provider does within a session is lawful`() throws {
        var scene = try HistoryScene()
        let session = try scene.session(of: scene.staff)
        try scene.browse(session, scene.staff.id)
        try scene.consent(isGiven: true)
        let grant = try scene.grant(session, scene.staff.id)
        try scene.consent(isGiven: true)
        try scene.end(grant)
        try scene.consent(isGiven: false)
        try scene.consent(isGiven: true)
        let other = try scene.grant(session, scene.staff.id)
        try scene.end(session)
        // A grant may outlive its session, and the link of the client.
        try scene.unlink(scene.client)
        try scene.end(other)
        try scene.history.expectLawful()
    }

    @Test func `a browser session or a grant without an open session is found`() throws {
        let words = OpenIDTrail.sessionless
        try expect(words) { scene, _ in try scene.browse(SessionID(UUID()), scene.staff.id) }
        try expect(words) { scene, session in try scene.browse(session, scene.admin.id) }
        try expect(words) { scene, _ in try scene.grant(SessionID(UUID()), scene.staff.id) }
        try expect(words) { scene, session in try scene.grant(session, scene.founder.id) }
        try expect(words, after: { try $0.end($1) }) { try $0.browse($1, $0.staff.id) }
        try expect(words, after: { try $0.end($1) }) { try $0.grant($1, $0.staff.id) }
        // The session ended an hour ago.
        try expect(words) { scene, session in
            scene.history.time = scene.history.time.adding(.seconds(7_200))
            try scene.grant(session, scene.staff.id)
        }
    }

    /// Replaces a session by a new one of somebody, in one append.
    private func replace(
        _ former: SessionID, in scene: inout HistoryScene, by member: SignedHistory.Member? = nil,
        on pair: SigningKeyPair? = nil, isBrowsed: Bool = true, reason: SessionEnd = .replaced
    ) throws {
        let member = member ?? scene.staff
        try scene.logIn(member, on: pair)
        let next = SessionID(try #require(scene.history.events.last).stream.id)
        if isBrowsed { try scene.browse(next, member.id) }
        try scene.history.append(
            SessionClosed(sessionID: former, reason: reason, successor: next),
            to: .session(former.uuid, in: scene.history.tenant))
    }

    @Test func `a session is replaced by one of the same append, person and device key in its browser`() throws {
        var scene = try HistoryScene()
        let session = try scene.session(of: scene.staff)
        try scene.browse(session, scene.staff.id)
        scene.history.time = scene.history.time.adding(.seconds(5))
        try replace(session, in: &scene)
        try scene.history.expectLawful()

        let words = OpenIDTrail.unreplaced
        let browsed: (inout HistoryScene, SessionID) throws -> Void = { scene, session in
            try scene.browse(session, scene.staff.id)
            scene.history.time = scene.history.time.adding(.seconds(5))
        }
        try expect(words) { try replace($1, in: &$0) }
        try expect(words, after: browsed) { try replace($1, in: &$0, by: $0.admin) }
        try expect(words, after: browsed) { try replace($1, in: &$0, on: $0.staff.vouched) }
        try expect(words, after: browsed) { try replace($1, in: &$0, isBrowsed: false) }
        try expect(words, after: browsed) { try replace($1, in: &$0, reason: .closed) }
        // The successor is missing, or older.
        try expect(words, after: browsed) { scene, session in
            try scene.history.append(
                SessionClosed(sessionID: session, reason: .replaced),
                to: .session(session.uuid, in: scene.history.tenant))
        }
        try expect(
            words,
            after: { scene, session in
                try scene.browse(session, scene.staff.id)
                try scene.browse(try scene.session(of: scene.staff), scene.staff.id)
                scene.history.time = scene.history.time.adding(.seconds(5))
            }
        ) { scene, session in
            let next = try #require(
                scene.history.events.last { $0.type == SessionOpened.type && $0.stream.id != session.uuid })
            try scene.history.append(
                SessionClosed(sessionID: session, reason: .replaced, successor: SessionID(next.stream.id)),
                to: .session(session.uuid, in: scene.history.tenant))
        }
        try expect(OpenIDTrail.browsed, after: browsed) { try $0.browse($1, $0.staff.id) }
    }

    @Test func `a grant for a client or in a session of an app that is not linked is found`() throws {
        try expect(OpenIDTrail.unlinked) { try $0.grant($1, $0.staff.id, to: AppID(UUID())) }
        try expect(OpenIDTrail.unlinked, after: { scene, _ in try scene.unlink(scene.client) }) {
            try $0.grant($1, $0.staff.id)
        }
        // The app that opened the session was unlinked, and linked again: the session has ended.
        try expect(
            OpenIDTrail.unlinked,
            after: { scene, _ in
                try scene.unlink(scene.app.app)
                try scene.link(scene.app.app, roles: .usual)
            }
        ) { try $0.grant($1, $0.staff.id) }
    }

    @Test func `a grant for a cancelled account or a revoked device key is found`() throws {
        try expect(OpenIDTrail.inactive, after: { scene, _ in try scene.cancel(scene.staff, by: scene.asAdmin) }) {
            try $0.grant($1, $0.staff.id)
        }
        try expect(
            OpenIDTrail.inactive,
            after: { scene, _ in
                try scene.end(.revoke, scene.staff.device, of: scene.staff, by: scene.asFounder)
            }
        ) { try $0.grant($1, $0.staff.id) }
    }

    @Test func `a grant in a session that was ended with all others is found`() throws {
        try expect(
            OpenIDTrail.ended,
            after: { scene, _ in try scene.endSessions(of: scene.staff, by: scene.asAdmin) }
        ) { try $0.grant($1, $0.staff.id) }
    }

    @Test func `a withdrawal at a client that asked nobody is lawful, and a grant after it is found`() throws {
        try expect(
            OpenIDTrail.unconsented,
            after: { scene, session in
                try scene.end(try scene.grant(session, scene.staff.id))
                try scene.consent(isGiven: false)
            }
        ) { try $0.grant($1, $0.staff.id) }
    }

    @Test func `an end of a grant that is not open is found`() throws {
        try expect(OpenIDTrail.endless) { scene, _ in try scene.end(GrantID(UUID())) }
        var grant: GrantID?
        try expect(
            OpenIDTrail.endless,
            after: {
                let opened = try $0.grant($1, $0.staff.id)
                grant = opened
                try $0.end(opened)
            }
        ) { scene, _ in try scene.end(try #require(grant)) }
    }

    @Test func `a second grant in a stream, and one in another's stream, are found`() throws {
        var grant: GrantID?
        try expect(
            "the event is not in its subject's stream", after: { grant = try $0.grant($1, $0.staff.id) }
        ) { try $0.grant($1, $0.staff.id, at: grant) }
    }

    @Test func `a withdrawal of a consent that is not in force is found`() throws {
        try expect(OpenIDTrail.withdrawn) { scene, _ in try scene.consent(isGiven: false) }
        try expect(
            OpenIDTrail.withdrawn,
            after: { scene, _ in
                try scene.consent(isGiven: true)
                try scene.consent(isGiven: false)
            }
        ) { scene, _ in try scene.consent(isGiven: false) }
    }
}
