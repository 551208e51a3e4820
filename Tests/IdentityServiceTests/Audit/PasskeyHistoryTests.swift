import Canonical
import Crypto
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// What an authenticator signs, and what of it a test makes wrong.
struct PasskeySaying {
    var rpID = "acme.example"
    var origin = "https://acme.example"
    var flags: UInt8 = 0x05
    var counter: UInt8 = 0
    /// Whether one bit of the signature is another.
    var isSpoilt = false

    /// The evidence of a key over bytes.
    func sign(_ message: [UInt8], _ pair: SigningKeyPair) throws -> SignatureBytes {
        let data = Array(SHA256.hash(data: Array(rpID.utf8))) + [flags, 0, 0, 0, counter]
        let challenge = Base64URL.encode(Array(SHA256.hash(data: message)))
        let client = Array(#"{"type":"webauthn.get","challenge":"\#(challenge)","origin":"\#(origin)"}"#.utf8)
        var signature = try pair.sign(data + Array(SHA256.hash(data: client))).signature.bytes
        if isSpoilt { signature[40] ^= 1 }
        return try #require(
            SignatureBytes([2, 1, 0, UInt8(data.count)] + data + [0, UInt8(client.count)] + client + signature))
    }
}

/// A company whose people may log in by passkeys, and what it is told about one.
extension HistoryScene {
    /// Sets origins and policy, as the operator and the founder decide.
    mutating func takePasskeys(_ logIn: LogInRule = .passkeyOrSecret) throws {
        let origins = [try ClientOrigin("https://acme.example")]
        try history.append(
            history.byOperator(on: .origins) { OriginsChanged(rpID: "acme.example", origins: origins, by: $0) },
            to: .origins)
        if logIn != .secret { try change(TenantPolicy(logIn: logIn), by: asFounder) }
    }

    /// A challenge that names no account but that of whoever adds a passkey.
    func passkeyChallenge(
        _ flow: FlowID, lifetime: Duration = .seconds(60), addedBy owner: SignedHistory.Member? = nil
    ) throws -> PasskeyChallenge {
        try PasskeyChallenge(
            PasskeyChallenge.Fields(
                issuer: "tenure", rpID: "acme.example", flow: flow.uuid, nonce: [UInt8](repeating: 7, count: 32),
                app: app.app.uuid.lowercased, expires: history.time.adding(lifetime),
                tenant: owner.map { _ in history.tenant.uuid }, employee: owner?.id.uuid))
    }

    /// Presents the waiting key as a passkey of the staff's account.
    mutating func presentPasskey(
        _ saying: PasskeySaying = PasskeySaying(), on pair: SigningKeyPair? = nil, flow: FlowID = FlowID(UUID()),
        handle: UInt8 = 1, credential: UInt8 = 1, change: (inout PasskeyFacts) throws -> Void = { _ in }
    ) throws {
        history.time = history.time.adding(.seconds(1))
        let challenge = try passkeyChallenge(flow, addedBy: staff), pair = pair ?? waiting
        var facts = PasskeyFacts(
            rpID: "acme.example", credentialID: [UInt8](repeating: credential, count: 16),
            userHandle: try #require(Bytes32([UInt8](repeating: handle, count: 32))),
            isBackupEligible: saying.flags & 0x08 != 0, isBackedUp: saying.flags & 0x10 != 0,
            counter: Int(saying.counter), aaguid: [UInt8](repeating: 0, count: 16), challenge: challenge.bytes,
            evidence: try saying.sign(challenge.bytes, pair))
        try change(&facts)
        try append(
            EmployeeKeyPresented(
                employeeID: staff.id, key: pair.key, kind: .passkey, flow: flow, first: false, passkey: facts),
            to: .employee(staff.id, in: history.tenant), "presented-\(flow)")
    }

    /// A company with a passkey in force.
    static func withPasskey(
        _ saying: PasskeySaying = PasskeySaying(), logIn: LogInRule = .passkeyOrSecret
    ) throws -> HistoryScene {
        var scene = try HistoryScene()
        try scene.takePasskeys(logIn)
        try scene.presentPasskey(saying, flow: FlowID(scene.comeback.uuid))
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        // The founder signs with no passkey, so a change to `passkey` is found itself.
        if logIn != .passkey { try scene.history.expectLawful() }
        return scene
    }

    /// Logs in by the passkey, as the service does.
    ///
    /// - Returns: The position of the log-in.
    @discardableResult
    mutating func usePasskey(
        _ saying: PasskeySaying = PasskeySaying(), flow: FlowID = FlowID(UUID()), by pair: SigningKeyPair? = nil,
        notes: [any EventPayload] = [], lifetime: Duration = .seconds(60), opensSession: Bool = true
    ) throws -> Int64 {
        history.time = history.time.adding(.seconds(1))
        let challenge = try passkeyChallenge(flow, lifetime: lifetime), session = SessionID(UUID())
        let request = "passkey-\(session)", fingerprint = KeyFingerprint(of: waiting.key)
        let validated = PasskeyValidated(
            employeeID: staff.id, fingerprint: fingerprint, flow: flow, challenge: challenge.bytes,
            evidence: try saying.sign(challenge.bytes, pair ?? waiting))
        try append(validated, to: .passkey(validated, in: history.tenant), request)
        let position = history.last
        for note in notes { try append(note, to: .employee(staff.id, in: history.tenant), request) }
        guard opensSession else { return position }
        try append(
            SessionOpened(
                sessionID: session, employeeID: staff.id, fingerprint: fingerprint,
                expiresAt: history.time.adding(.seconds(3_600)), appID: app.app, secretID: app.secret),
            to: .session(session.uuid, in: history.tenant), request)
        return position
    }
}

/// What verification says of a service that has the right keys and writes what a passkey did not sign.
@Suite struct `Histories of passkeys` {
    private typealias Trail = AuthorityTrail

    @Test func `log-ins by a passkey are lawful`() throws {
        var scene = try HistoryScene.withPasskey()
        try scene.usePasskey()
        try scene.usePasskey()
        try scene.history.expectLawful()
    }

    @Test(arguments: [
        (PasskeySaying(origin: "https://badacme.example"), Trail.otherKind),
        (PasskeySaying(origin: "https://acme.example:8443"), Trail.otherKind),
        (PasskeySaying(rpID: "example"), Trail.otherKind),
        (PasskeySaying(flags: 0x0D), Trail.otherKind),
        (PasskeySaying(flags: 0x04), Trail.noAssertion),
        (PasskeySaying(flags: 0x01), Trail.noAssertion),
        (PasskeySaying(flags: 0x15), Trail.noAssertion),
        (PasskeySaying(isSpoilt: true), Trail.noAssertion),
    ])
    func `a log-in by a wrong assertion is found`(saying: PasskeySaying, words: String) throws {
        var scene = try HistoryScene.withPasskey()
        let position = try scene.usePasskey(saying)
        let found = try scene.history.verify().findings
        #expect(found.first == .init(position: position, words: words), "\(found)")
    }

    @Test func `a log-in by another key, after the expiry, or under a policy that asks for a secret is found`() throws {
        var scene = try HistoryScene.withPasskey()
        var position = try scene.usePasskey(by: scene.staff.device)
        try scene.history.expectFinding(Trail.noAssertion, at: position)

        scene = try HistoryScene.withPasskey()
        position = try scene.usePasskey(lifetime: .seconds(-120))
        try scene.history.expectFinding(Trail.expired, at: position)

        scene = try HistoryScene.withPasskey(logIn: .secret)
        position = try scene.usePasskey()
        try scene.history.expectFinding(Trail.secretNeeded, at: position)
    }

    @Test func `a challenge is answered once`() throws {
        var scene = try HistoryScene.withPasskey()
        let flow = FlowID(UUID())
        try scene.usePasskey(flow: flow)
        let position = try scene.usePasskey(flow: flow)
        try scene.history.expectFinding(CauseTable.passkeyRepeated, at: position)

        scene = try HistoryScene.withPasskey()
        let presented = try scene.usePasskey(flow: FlowID(scene.comeback.uuid))
        try scene.history.expectFinding(Trail.answered, at: presented)

        scene = try HistoryScene.withPasskey()
        try scene.usePasskey(flow: flow)
        try scene.presentPasskey(on: try SigningKeyPair(), flow: flow, credential: 2)
        try scene.history.expectFinding(CauseTable.passkeyRepeated, at: scene.history.last)
    }

    @Test func `a changed backup and a counter that did not grow are noted`() throws {
        var scene = try HistoryScene.withPasskey(PasskeySaying(flags: 0x0D, counter: 5))
        let fingerprint = KeyFingerprint(of: scene.waiting.key)
        let changed = PasskeyBackupChanged(employeeID: scene.staff.id, fingerprint: fingerprint, backedUp: true)
        let copied = PasskeySaying(flags: 0x1D, counter: 6)
        try scene.usePasskey(copied, notes: [changed])
        try scene.history.expectLawful()

        scene = try HistoryScene.withPasskey(PasskeySaying(flags: 0x0D, counter: 5))
        var position = try scene.usePasskey(copied)
        try scene.history.expectFinding(Trail.unnoted, at: position)

        scene = try HistoryScene.withPasskey(PasskeySaying(flags: 0x0D, counter: 5))
        let same = PasskeyBackupChanged(
            employeeID: scene.staff.id, fingerprint: KeyFingerprint(of: scene.waiting.key), backedUp: false)
        try scene.usePasskey(PasskeySaying(flags: 0x0D, counter: 6), notes: [same])
        let found = try scene.history.verify().findings
        #expect(found.contains { $0.words == Trail.sameBackup }, "\(found)")

        scene = try HistoryScene.withPasskey(PasskeySaying(counter: 5))
        scene.history.time = scene.history.time.adding(.seconds(600))
        position = try scene.usePasskey(PasskeySaying(counter: 5))
        try scene.history.expectFinding(Trail.unnoted, at: position)

        scene = try HistoryScene.withPasskey(PasskeySaying(counter: 5))
        scene.history.time = scene.history.time.adding(.seconds(600))
        let repeated = PasskeyCounterRepeated(
            employeeID: scene.staff.id, fingerprint: KeyFingerprint(of: scene.waiting.key), counter: 5, previous: 5)
        try scene.usePasskey(PasskeySaying(counter: 5), notes: [repeated])
        let (findings, notes) = try scene.history.verify()
        #expect(findings == [] && notes.count == 1, "\(findings) \(notes)")
    }

    @Test func `a session by a passkey that its counter stopped is found until an admin authorizes it anew`() throws {
        func stopped(_ rule: ClonedKeyRule, opensSession: Bool = false) throws -> HistoryScene {
            var scene = try HistoryScene.withPasskey(PasskeySaying(counter: 5))
            if rule != .report {
                try scene.change(TenantPolicy(logIn: .passkeyOrSecret, clonedKey: rule), by: scene.asFounder)
            }
            scene.history.time = scene.history.time.adding(.seconds(600))
            let repeated = PasskeyCounterRepeated(
                employeeID: scene.staff.id, fingerprint: KeyFingerprint(of: scene.waiting.key), counter: 5, previous: 5)
            if opensSession {
                try scene.usePasskey(PasskeySaying(counter: 5), notes: [repeated])
            } else {
                try scene.history.append(repeated, about: scene.staff)
            }
            return scene
        }
        var scene = try stopped(.report, opensSession: true)
        try scene.usePasskey(PasskeySaying(counter: 6))
        #expect(try scene.history.verify().findings == [])

        scene = try stopped(.stop)
        #expect(try scene.history.verify().findings == [])
        let position = try scene.usePasskey(PasskeySaying(counter: 6))
        let found = try scene.history.verify().findings
        #expect(found.first == .init(position: position, words: Trail.stopped), "\(found)")
        // In the append that noted it too.
        let opened = try stopped(.stop, opensSession: true).history.verify().findings
        #expect(opened.map(\.words) == [Trail.stopped])

        scene = try stopped(.stop)
        try scene.authorize(scene.waiting, of: scene.staff, by: scene.asFounder)
        try scene.usePasskey(PasskeySaying(counter: 6))
        #expect(try scene.history.verify().findings == [])
    }

    @Test func `a passkey is presented with an assertion of its own, and the facts of its account`() throws {
        func finding(_ words: String, _ present: (inout HistoryScene) throws -> Void) throws {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            try present(&scene)
            try scene.history.expectFinding(words)
        }
        try finding(Trail.unsignedPresentation) { try $0.presentPasskey(PasskeySaying(isSpoilt: true)) }
        try finding(Trail.unsignedPresentation) { scene in
            // A creation that no get followed: the assertion is of another challenge.
            let other = try scene.passkeyChallenge(FlowID(UUID()), addedBy: scene.staff).bytes
            try scene.presentPasskey { $0.challenge = other }
        }
        try finding(Trail.unsignedPresentation) { try $0.presentPasskey { $0.isBackupEligible = true } }
        try finding(Trail.unsignedPresentation) { try $0.presentPasskey { $0.counter = 7 } }
        try finding(Trail.otherKind) { try $0.presentPasskey(PasskeySaying(origin: "https://other.example")) }
        try finding(Trail.otherFacts) { scene in
            try scene.presentPasskey(flow: FlowID(UUID()))
            try scene.presentPasskey(on: try SigningKeyPair(), handle: 2, credential: 2)
        }
        try finding(Trail.otherFacts) { scene in
            try scene.presentPasskey()
            try scene.presentPasskey(on: try SigningKeyPair(), credential: 1)
        }
        try finding(Trail.wrongKind) { scene in
            let flow = try scene.history.validate(scene.staff, on: scene.waiting)
            try scene.history.append(
                EmployeeKeyPresented(
                    employeeID: scene.staff.id, key: scene.waiting.key, kind: .passkey, flow: flow, first: false),
                about: scene.staff)
        }
    }

    @Test func `evidence of the other kind is found`() throws {
        // A signature where the passkey has to make an assertion.
        var scene = try HistoryScene.withPasskey()
        try scene.history.validate(scene.staff, on: scene.waiting)
        try scene.history.expectFinding(Trail.otherKind)

        // The decision of a passkey, signed as software signs.
        scene = try HistoryScene.withPasskey()
        let other = try SigningKeyPair()
        try scene.history.present(other, of: scene.staff)
        try scene.authorize(other, of: scene.staff, by: .member(scene.staff, scene.waiting))
        #expect(try scene.history.verify().findings.contains { $0.words == Trail.otherKind })
    }

    @Test func `a session on a device key that is no passkey is found where the company asks for one`() throws {
        var scene = try HistoryScene.withPasskey()
        scene.history.time = scene.history.time.adding(.seconds(7_200))
        try scene.logIn(scene.staff)
        try scene.history.expectLawful()
        scene = try HistoryScene.withPasskey(logIn: .passkey)
        scene.history.time = scene.history.time.adding(.seconds(7_200))
        try scene.logIn(scene.staff)
        let position = scene.history.last
        #expect(
            try scene.history.verify().findings.contains { $0.position == position && $0.words == Trail.passkeyNeeded })
    }

    /// An admin whose key with the role is a passkey, which decides after what the admin did.
    private func decision(
        _ saying: PasskeySaying, after arrange: (inout HistoryScene) throws -> Void
    ) throws -> [SignedHistory.Finding] {
        var scene = try HistoryScene.withPasskey(saying)
        try scene.appoint(scene.staff, keys: [scene.waiting], by: scene.asFounder)
        try scene.history.register(scene.newcomer)
        try arrange(&scene)
        try scene.history.expectLawful()
        scene.history.time = scene.history.time.adding(.seconds(1))
        let statement = try scene.statusStatement(.cancel, scene.newcomer, by: .member(scene.staff, scene.waiting))
        let signed = SignedStatement(
            key: scene.waiting.key, statement: statement.bytes,
            signature: try saying.sign(statement.bytes, scene.waiting))
        try scene.history.append(
            EmployeeCancelled(
                employeeID: scene.newcomer.id, reason: .cancelled, note: nil, by: .employee(scene.staff.id, signed)),
            about: scene.newcomer)
        return try scene.history.verify().findings
    }

    @Test func `a synced passkey decides as admin only after a log-in with a secret in the 24 hours before`() throws {
        let synced = PasskeySaying(flags: 0x0D)
        func logIn(_ scene: inout HistoryScene) throws {
            scene.history.time = scene.history.time.adding(.seconds(1))
            try scene.history.validate(scene.staff, on: scene.waiting, saying: synced)
            try scene.logIn(scene.staff, on: scene.waiting)
        }
        #expect(try decision(synced) { _ in }.count == 1)
        #expect(try decision(synced) { try $0.usePasskey(synced) }.count == 1)
        #expect(try decision(synced, after: logIn) == [])
        #expect(
            try decision(synced) { scene in
                try logIn(&scene)
                // A log-in by the passkey alone proves nothing more, and takes nothing away.
                try scene.usePasskey(synced)
            } == [])
        #expect(
            try decision(synced) { scene in
                try logIn(&scene)
                scene.history.time = scene.history.time.adding(.seconds(24 * 3_600 + 61))
            }.count == 1)
        #expect(try decision(PasskeySaying()) { _ in } == [])
    }
}
