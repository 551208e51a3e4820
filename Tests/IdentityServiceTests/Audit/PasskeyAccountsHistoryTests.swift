import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// What a service writes of passkeys that each account alone does not show.
@Suite struct `Histories of passkeys of several accounts` {
    private func scene() throws -> HistoryScene {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.present()
        try scene.history.expectLawful("before the violation")
        return scene
    }

    @Test func `two accounts have passkeys of their own`() throws {
        var scene = try scene()
        try scene.present(on: try SigningKeyPair(), of: scene.peer, credential: 2, handle: 2)
        try scene.present(on: try SigningKeyPair(), credential: 3, handle: 1)
        try scene.history.expectLawful()
    }

    @Test(arguments: [(1, 2), (2, 1)] as [(UInt8, UInt8)])
    func `the credential and the handle of an account are found in another one`(credential: UInt8, handle: UInt8) throws
    {
        var scene = try scene()
        // An authenticator keeps one passkey for a site and a handle, so that of the first account would be gone.
        try scene.present(on: try SigningKeyPair(), of: scene.peer, credential: credential, handle: handle)
        let found = try scene.history.verify().findings
        #expect(found.map(\.position) == [scene.history.last], "\(found)")
    }

    @Test func `a session of a synced passkey carries no role, whatever else logs in at the same moment`() throws {
        let synced = OddAssertion(flags: 0x0D)
        func decision(_ logIn: (inout HistoryScene, SigningKeyPair) throws -> Void) throws -> [SignedHistory.Finding] {
            var scene = try HistoryScene.withKey(synced)
            let other = try SigningKeyPair()
            try scene.present(on: other, of: scene.peer, credential: 2, handle: 2)
            try scene.authorize(other, of: scene.peer, by: scene.asFounder)
            try scene.appoint(scene.staff, keys: [scene.waiting], by: scene.asFounder)
            try scene.history.register(scene.newcomer)
            try logIn(&scene, other)
            try scene.history.expectLawful("before the decision")
            scene.history.time = scene.history.time.adding(.seconds(1))
            let decider = SignedHistory.Decider.member(scene.staff, scene.waiting)
            let statement = try scene.statusStatement(.cancel, scene.newcomer, by: decider)
            let signed = SignedStatement(
                key: scene.waiting.key, statement: statement.bytes,
                signature: try synced.sign(statement.bytes, scene.waiting))
            try scene.history.append(
                EmployeeCancelled(
                    employeeID: scene.newcomer.id, reason: .cancelled, note: nil,
                    by: .employee(scene.staff.id, signed)), about: scene.newcomer)
            return try scene.history.verify().findings
        }
        let words = "the caller may not cancel an account; the decision is about an ordinary employee"
        #expect(try decision { _, _ in }.map(\.words) == [words])
        #expect(try decision { scene, _ in try scene.use(synced) }.map(\.words) == [words])
        let crossed = try decision { scene, other in try scene.useTwo(synced, other) }
        #expect(crossed.map(\.words) == [words], "\(crossed)")
    }
}

extension HistoryScene {
    /// Logs in the staff and the peer by their passkeys in one append, and opens their sessions after both.
    fileprivate mutating func useTwo(_ odd: OddAssertion, _ other: SigningKeyPair) throws {
        history.time = history.time.adding(.seconds(1))
        let request = "two-\(UUID().uuidString)"
        let logins = [(staff, waiting, odd), (peer, other, OddAssertion())]
        for (member, pair, odd) in logins {
            let flow = FlowID(UUID()), challenge = try passkeyChallenge(flow)
            let validated = PasskeyValidated(
                employeeID: member.id, fingerprint: KeyFingerprint(of: pair.key), flow: flow,
                challenge: challenge.bytes, evidence: try odd.sign(challenge.bytes, pair))
            try append(validated, to: .passkey(validated, in: history.tenant), request)
        }
        for (member, pair, _) in logins {
            let id = SessionID(UUID())
            try append(
                SessionOpened(
                    sessionID: id, employeeID: member.id, fingerprint: KeyFingerprint(of: pair.key),
                    expiresAt: history.time.adding(.seconds(3_600)), appID: app.app, secretID: app.secret),
                to: .session(id.uuid, in: history.tenant), request)
        }
    }
}
