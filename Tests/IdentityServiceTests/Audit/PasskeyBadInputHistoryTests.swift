import Canonical
import Crypto
import CryptoExtras
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// What an authenticator and a browser sign, with anything in it.
struct OddAssertion: Sendable {
    var rpID = "acme.example"
    /// The client data; `$C` stands for the challenge.
    var client = #"{"type":"webauthn.get","challenge":"$C","origin":"https://acme.example"}"#
    var flags: UInt8 = 0x05
    var counter: UInt8 = 0
    /// What follows the counter.
    var rest: [UInt8] = []

    /// The authenticator data and the client data over a message.
    func parts(_ message: [UInt8]) -> (authenticator: [UInt8], client: [UInt8]) {
        let challenge = Base64URL.encode(Array(SHA256.hash(data: message)))
        return (
            Array(SHA256.hash(data: Array(rpID.utf8))) + [flags, 0, 0, 0, counter] + rest,
            Array(client.replacing("$C", with: challenge).utf8)
        )
    }

    /// The evidence of a key over a message.
    func sign(_ message: [UInt8], _ pair: SigningKeyPair) throws -> SignatureBytes {
        let (authenticator, client) = parts(message)
        let signature = try pair.sign(authenticator + Array(SHA256.hash(data: client))).signature
        return try Self.evidence(authenticator, client, 1, signature.bytes)
    }

    static func evidence(
        _ authenticator: [UInt8], _ client: [UInt8], _ algorithm: UInt8, _ signature: [UInt8]
    ) throws -> SignatureBytes {
        func framed(_ part: [UInt8]) -> [UInt8] { [UInt8(part.count >> 8), UInt8(part.count & 255)] + part }
        return try #require(SignatureBytes([2, algorithm] + framed(authenticator) + framed(client) + signature))
    }

    /// What is signed by the right key over the right message, and proves nothing.
    static let wrong = [
        OddAssertion(client: #"{"type":"webauthn.create","challenge":"$C","origin":"https://acme.example"}"#),
        OddAssertion(
            client:
                #"{"type":"webauthn.get","challenge":"$C","origin":"https://a.test","origin":"https://acme.example"}"#),
        OddAssertion(
            client: #"{"type":"webauthn.get","challenge":"$C","origin":"https://acme.example","orig\u0069n":"x"}"#),
        OddAssertion(
            client: #"{"type":"webauthn.get","challenge":"$C","origin":"https://acme.example","crossOrigin":true}"#),
        OddAssertion(
            client: #"{"type":"webauthn.get","challenge":"$C","origin":"https://acme.example","crossOrigin":null}"#),
        OddAssertion(
            client:
                #"{"type":"webauthn.get","challenge":"$C","origin":"https://acme.example","topOrigin":"https://a.b"}"#),
        OddAssertion(client: #"[{"type":"webauthn.get","challenge":"$C","origin":"https://acme.example"}]"#),
        OddAssertion(client: #"{"type":"webauthn.get","challenge":"$C=","origin":"https://acme.example"}"#),
        OddAssertion(client: #"{"type":"webauthn.get","challenge":"$C"}"#),
        OddAssertion(flags: 0x01), OddAssertion(flags: 0x04), OddAssertion(flags: 0x15), OddAssertion(flags: 0x45),
        OddAssertion(flags: 0x85), OddAssertion(rest: [0xA0]),
    ]

    /// What was not signed for this site.
    static let foreign = [
        OddAssertion(client: OddAssertion().client.replacing("acme.example", with: "badacme.example")),
        OddAssertion(client: OddAssertion().client.replacing("acme.example", with: "acme.example:8443")),
        OddAssertion(client: OddAssertion().client.replacing("https://", with: "http://")),
        OddAssertion(client: OddAssertion().client.replacing("acme.example", with: "acme.example.evil.test")),
        OddAssertion(rpID: "badacme.example"), OddAssertion(rpID: "example"),
    ]

    /// What browsers and authenticators may add.
    static let right = [
        OddAssertion(),
        OddAssertion(client: #"{"origin":"https://acme.example","challenge":"$C","type":"webauthn.get"}"#),
        OddAssertion(
            client: #"{"x":[{"origin":1}],"crossOrigin":false,"challenge":"$C","type":"webauthn.get","#
                + #""origin":"https://acme.example"}"#),
        OddAssertion(flags: 0x85, rest: [0xA1, 0x6B] + Array("credProtect".utf8) + [0x02]),
        OddAssertion(counter: 9),
    ]
}

extension HistoryScene {
    /// Presents a key as a passkey, the waiting one of the staff unless others are named.
    mutating func present(
        _ odd: OddAssertion = OddAssertion(), on pair: SigningKeyPair? = nil, of member: SignedHistory.Member? = nil,
        flow: FlowID = FlowID(UUID()), by signer: SigningKeyPair? = nil, lifetime: Duration = .seconds(60),
        credential: UInt8 = 1, handle: UInt8 = 1, change: (inout EmployeeKeyPresented) throws -> Void = { _ in }
    ) throws {
        history.time = history.time.adding(.seconds(1))
        let pair = pair ?? waiting, member = member ?? staff
        let challenge = try passkeyChallenge(flow, lifetime: lifetime, addedBy: member)
        let facts = PasskeyFacts(
            rpID: "acme.example", credentialID: [UInt8](repeating: credential, count: 16),
            userHandle: try #require(Bytes32([UInt8](repeating: handle, count: 32))),
            isBackupEligible: odd.flags & 0x08 != 0, isBackedUp: odd.flags & 0x10 != 0, counter: Int(odd.counter),
            aaguid: [UInt8](repeating: 0, count: 16), challenge: challenge.bytes,
            evidence: try odd.sign(challenge.bytes, signer ?? pair))
        var event = EmployeeKeyPresented(
            employeeID: member.id, key: pair.key, kind: .passkey, flow: flow, first: false, passkey: facts)
        try change(&event)
        try append(event, to: .employee(member.id, in: history.tenant), "presented-\(flow)")
    }

    /// A company whose staff has a passkey in force, under the waiting key.
    static func withKey(_ odd: OddAssertion = OddAssertion()) throws -> HistoryScene {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.present(odd)
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        try scene.history.expectLawful("before the violation")
        return scene
    }

    /// Logs in by the passkey.
    ///
    /// - Returns: The position of the log-in.
    @discardableResult
    mutating func use(
        _ odd: OddAssertion = OddAssertion(), of member: SignedHistory.Member? = nil, notes: [any EventPayload] = [],
        opensSession: Bool = true, change: (inout PasskeyValidated) throws -> Void = { _ in },
        opening session: (inout SessionOpened) -> Void = { _ in }
    ) throws -> Int64 {
        history.time = history.time.adding(.seconds(1))
        let flow = FlowID(UUID()), member = member ?? staff, id = SessionID(UUID()), request = "passkey-\(id)"
        let challenge = try passkeyChallenge(flow)
        var validated = PasskeyValidated(
            employeeID: member.id, fingerprint: KeyFingerprint(of: waiting.key), flow: flow,
            challenge: challenge.bytes, evidence: try odd.sign(challenge.bytes, waiting))
        try change(&validated)
        try append(validated, to: .passkey(validated, in: history.tenant), request)
        let position = history.last
        for note in notes { try append(note, to: .employee(member.id, in: history.tenant), request) }
        guard opensSession else { return position }
        var opened = SessionOpened(
            sessionID: id, employeeID: member.id, fingerprint: validated.fingerprint,
            expiresAt: history.time.adding(.seconds(3_600)), appID: app.app, secretID: app.secret)
        session(&opened)
        try append(opened, to: .session(id.uuid, in: history.tenant), request)
        return position
    }

    /// Lets the passkey of the staff authorize another pending key of the account.
    ///
    /// - Parameters:
    ///   - key: Another key that the statement names as its signer.
    ///   - other: Makes another statement, which the authenticator signs instead.
    mutating func decide(
        _ odd: OddAssertion = OddAssertion(), about pair: SigningKeyPair, as key: SigningKeyPair? = nil,
        by signer: SigningKeyPair? = nil, signing other: (inout KeyStatement) throws -> Void = { _ in }
    ) throws {
        history.time = history.time.adding(.seconds(1))
        let key = key ?? waiting
        let presented = history.state.employees[staff.id]?.keys[pair.key]?.presented
        let statement = KeyStatement(
            context: try history.context(.member(staff, key), isOwn: true), action: .authorize,
            employee: staff.id.uuid, userKeyHash: [UInt8](repeating: 3, count: 32),
            employeeKey: try EmployeePublicKey(bytes: pair.key.bytes), reason: "authorized",
            presentedHash: try #require(history.state.leaf(presented)),
            policyHash: history.state.leaf(history.state.tenant.policySince))
        var signed = statement
        try other(&signed)
        let by = SignedStatement(
            key: key.key, statement: statement.bytes, signature: try odd.sign(signed.bytes, signer ?? key))
        try history.append(
            EmployeeKeyAuthorized(employeeID: staff.id, key: pair.key, by: .employee(staff.id, by)), about: staff)
    }

    /// What a verification says, with what an append lacks.
    fileprivate func words() throws -> [String] {
        var inspector = history.inspector()
        _ = history.findings(with: &inspector)
        var causes = inspector.validated.causes
        causes.complete(history.ledger)
        return try history.verify().findings.map(\.words) + causes.unresolved.map(\.detail)
    }
}

/// Each bad input of passkeys, written by a service that has the right keys.
@Suite struct `Bad input of passkeys in histories` {
    private typealias Trail = AuthorityTrail
    private static let unsigned = "a signature or its signed bytes are not valid"

    /// A scene with a passkey, and a further key of its owner that waits.
    private func deciding(_ odd: OddAssertion = OddAssertion()) throws -> (scene: HistoryScene, pair: SigningKeyPair) {
        var scene = try HistoryScene.withKey(odd)
        let pair = try SigningKeyPair()
        try scene.history.present(pair, of: scene.staff)
        try scene.history.expectLawful("before the violation")
        return (scene, pair)
    }

    // MARK: What is signed

    @Test(arguments: OddAssertion.right)
    func `what browsers and authenticators may add is lawful everywhere`(odd: OddAssertion) throws {
        var scene = try HistoryScene.withKey()
        try scene.use(odd)
        try scene.history.expectLawful("a log-in")
        scene = try HistoryScene.withKey(odd)
        var (deciding, pair) = try deciding()
        try deciding.decide(odd, about: pair)
        try deciding.history.expectLawful("a decision")
    }

    @Test(arguments: OddAssertion.wrong)
    func `an assertion that proves nothing is found in a log-in, a presentation and a decision`(
        odd: OddAssertion
    ) throws {
        var scene = try HistoryScene.withKey()
        let position = try scene.use(odd)
        let found = try scene.history.verify().findings
        #expect(found.first == .init(position: position, words: Trail.noAssertion), "\(found)")
        #expect(found.allSatisfy { $0.position == position }, "\(found)")

        scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.present(odd)
        try scene.history.expectFinding(Trail.unsignedPresentation)

        var (deciding, pair) = try deciding()
        try deciding.decide(odd, about: pair)
        try deciding.history.expectFinding(Self.unsigned)
    }

    @Test(arguments: OddAssertion.foreign)
    func `an assertion of another site is found in a log-in, a presentation and a decision`(odd: OddAssertion) throws {
        var scene = try HistoryScene.withKey()
        let position = try scene.use(odd)
        try scene.history.expectFinding(Trail.otherKind, at: position)

        scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.present(odd)
        try scene.history.expectFinding(Trail.otherKind)

        var (deciding, pair) = try deciding()
        try deciding.decide(odd, about: pair)
        try deciding.history.expectFinding(Trail.otherKind)
    }

    @Test func `a changed backup eligibility is found in a log-in and a decision`() throws {
        for (first, then) in [(0x05, 0x0D), (0x0D, 0x05)] as [(UInt8, UInt8)] {
            var scene = try HistoryScene.withKey(OddAssertion(flags: first))
            let position = try scene.use(OddAssertion(flags: then))
            try scene.history.expectFinding(Trail.otherKind, "\(first)", at: position)

            var (deciding, pair) = try deciding(OddAssertion(flags: first))
            try deciding.decide(OddAssertion(flags: then), about: pair)
            try deciding.history.expectFinding(Trail.otherKind, "\(first)")
        }
    }

    @Test func `an assertion by another key is found in a presentation and a decision`() throws {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.present(by: scene.staff.device)
        try scene.history.expectFinding(Trail.unsignedPresentation)

        var (deciding, pair) = try deciding()
        try deciding.decide(about: pair, by: deciding.peer.device)
        try deciding.history.expectFinding(Self.unsigned)
    }

    @Test func `an assertion with the statement of another decision is found`() throws {
        let others: [(inout KeyStatement) throws -> Void] = [
            { $0.context.nonce[0] ^= 1 }, { $0.context.ledgerSize -= 1 },
            { $0.employeeKey = try EmployeePublicKey(bytes: try SigningKeyPair().key.bytes) },
            {
                $0 = KeyStatement(
                    context: $0.context, action: .refuse, employee: $0.employee, userKeyHash: $0.userKeyHash,
                    employeeKey: $0.employeeKey, reason: "authorized", presentedHash: $0.presentedHash, policyHash: nil)
            },
        ]
        for other in others {
            var (scene, pair) = try deciding()
            try scene.decide(about: pair, signing: other)
            try scene.history.expectFinding(Self.unsigned)
        }
    }

    @Test func `a statement that a passkey signed decides once`() throws {
        var (scene, pair) = try deciding()
        try scene.decide(about: pair)
        try scene.history.expectLawful()
        try scene.history.copy(scene.history.last)
        try scene.history.expectFinding(UsedStatements.words)
    }

    // MARK: Challenges

    @Test func `a log-in over a challenge of another flow, site, app or purpose is found`() throws {
        func finding(_ challenge: (HistoryScene, FlowID) throws -> [UInt8]) throws {
            var scene = try HistoryScene.withKey()
            let pair = scene.waiting, before = scene
            let position = try scene.use {
                $0.challenge = try challenge(before, $0.flow)
                $0.evidence = try OddAssertion().sign($0.challenge, pair)
            }
            try scene.history.expectFinding(Trail.noAssertion, at: position)
        }
        func fields(_ scene: HistoryScene, _ flow: FlowID) throws -> PasskeyChallenge.Fields {
            try scene.passkeyChallenge(flow).fields
        }
        try finding { scene, _ in try scene.passkeyChallenge(FlowID(UUID())).bytes }
        try finding { scene, flow in
            var other = try fields(scene, flow)
            other.rpID = "badacme.example"
            return try PasskeyChallenge(other).bytes
        }
        try finding { scene, flow in
            var other = try fields(scene, flow)
            other.app = UUID().lowercased
            return try PasskeyChallenge(other).bytes
        }
        try finding { scene, flow in try scene.passkeyChallenge(flow, addedBy: scene.staff).bytes }
        try finding { scene, flow in try scene.challenge(flow, scene.waiting, .login).bytes }
        try finding { _, _ in Array("tenure/v2/challenge\n{}".utf8) }
    }

    @Test func `a presentation over a challenge that is late, or of another flow, app or key, is found`() throws {
        func finding(_ present: (inout HistoryScene) throws -> Void) throws {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            try present(&scene)
            try scene.history.expectFinding(Trail.unsignedPresentation)
        }
        func signing(_ scene: inout HistoryScene, _ challenge: (FlowID) throws -> [UInt8]) throws {
            let pair = scene.waiting
            try scene.present {
                let bytes = try challenge($0.flow)
                $0.passkey?.challenge = bytes
                $0.passkey?.evidence = try OddAssertion().sign(bytes, pair)
            }
        }
        try finding { try $0.present(lifetime: .seconds(-120)) }
        try finding { scene in
            let before = scene
            try signing(&scene) { _ in try before.passkeyChallenge(FlowID(UUID()), addedBy: before.staff).bytes }
        }
        try finding { scene in
            let before = scene
            try signing(&scene) { flow in
                var fields = try before.passkeyChallenge(flow, addedBy: before.staff).fields
                fields.app = UUID().lowercased
                return try PasskeyChallenge(fields).bytes
            }
        }
        for challenge: (HistoryScene, FlowID) throws -> [UInt8] in [
            // Of a log-in, of another account and company, and of a flow that names the key.
            { try $0.passkeyChallenge($1).bytes }, { try $0.passkeyChallenge($1, addedBy: $0.peer).bytes },
            {
                var fields = try $0.passkeyChallenge($1, addedBy: $0.staff).fields
                fields.tenant = UUID()
                return try PasskeyChallenge(fields).bytes
            }, { try $0.challenge($1, $0.waiting, .login).bytes },
            { try $0.challenge($1, $0.staff.device, .registration).bytes },
        ] {
            try finding { scene in
                let before = scene
                try signing(&scene) { try challenge(before, $0) }
            }
        }
    }

    @Test func `a challenge presents one passkey`() throws {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        let flow = FlowID(UUID())
        try scene.present(flow: flow)
        try scene.history.expectLawful()
        try scene.present(on: try SigningKeyPair(), flow: flow, credential: 2)
        try scene.history.expectFinding(CauseTable.uncausedKey)
    }

    // MARK: Whose key

    @Test func `a log-in by a key that is unknown, waits, is ended, is no passkey or somebody else's is found`() throws
    {
        func finding(
            _ arrange: (inout HistoryScene) throws -> Void, _ use: (inout HistoryScene) throws -> Int64
        ) throws {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            try arrange(&scene)
            try scene.history.expectLawful("before the violation")
            let position = try use(&scene)
            try scene.history.expectFinding(Trail.notInForce, at: position)
        }
        func inForce(_ scene: inout HistoryScene) throws {
            try scene.present()
            try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        }
        try finding({ _ in }, { try $0.use() })
        try finding({ try $0.present() }, { try $0.use() })
        try finding(
            { scene in
                try scene.present()
                try scene.end(.refuse, scene.waiting, of: scene.staff, by: scene.asAdmin)
            }, { try $0.use() })
        try finding(
            { scene in
                try inForce(&scene)
                try scene.end(.revoke, scene.waiting, of: scene.staff, by: scene.asAdmin)
            }, { try $0.use() })
        try finding(
            { scene in
                try inForce(&scene)
                try scene.cancel(scene.staff, by: scene.asAdmin)
            }, { try $0.use() })
        try finding(inForce) { try $0.use(of: $0.peer) }
        try finding(inForce) { scene in
            let pair = scene.staff.device
            return try scene.use {
                $0.fingerprint = KeyFingerprint(of: pair.key)
                $0.evidence = try OddAssertion().sign($0.challenge, pair)
            }
        }
    }

    @Test func `a log-in by a passkey opens one session, of its account and key`() throws {
        var scene = try HistoryScene.withKey()
        try scene.use()
        #expect(try scene.words() == [])

        scene = try HistoryScene.withKey()
        try scene.use(opensSession: false)
        #expect(try scene.words() == [CauseTable.passkeyAlone])

        for isOfPeer in [true, false] {
            scene = try HistoryScene.withKey()
            let peer = scene.peer, device = scene.staff.device
            try scene.use(opening: {
                if isOfPeer { $0.employeeID = peer.id } else { $0.fingerprint = KeyFingerprint(of: device.key) }
            })
            let words = try scene.words()
            #expect(Set(words) == [CauseTable.passkeyAlone, CauseTable.uncausedSession], "\(words)")
        }
    }

    @Test func `a presentation in the stream of another account is found`() throws {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        let peer = scene.peer
        try scene.present { $0.employeeID = peer.id }
        try scene.history.expectFinding("the event is not in its subject's stream")
    }

    // MARK: Kinds and keys

    @Test func `an assertion by a key that is no passkey is found in a decision, a wait and a log-in`() throws {
        var (scene, pair) = try deciding()
        try scene.decide(about: pair, as: scene.staff.device)
        try scene.history.expectFinding(Trail.otherKind)

        scene = try HistoryScene()
        let flow = try scene.beginWait()
        try scene.authorize(scene.waiting, of: scene.staff, by: .app(scene.app))
        var end = try scene.end(flow)
        end.deviceSignature = try OddAssertion().sign(end.challenge, scene.waiting)
        try scene.append(end, opensSession: false)
        try scene.history.expectFinding(Trail.otherKind)

        // A key that is known as software, and one that nobody presented before.
        scene = try HistoryScene()
        scene.history.spoiling = Self.asserting(by: scene.staff.device)
        try scene.history.validate(scene.staff, on: scene.staff.device)
        try scene.history.expectFinding(Trail.otherKind)
        scene = try HistoryScene()
        scene.history.spoiling = Self.asserting(by: scene.waiting)
        try scene.history.present(scene.waiting, of: scene.staff)
        try scene.history.expectFinding(Trail.otherKind)
    }

    /// Puts an assertion in the place of a signature over a challenge.
    private static func asserting(by pair: SigningKeyPair) -> Spoiling {
        Spoiling(event: { _, data in
            guard case .object(var members) = data, members["deviceSignature"] != nil,
                let challenge = members["challenge"]?.bytes,
                let evidence = try? OddAssertion().sign(challenge, pair)
            else { return }
            members["deviceSignature"] = .bytes(evidence.bytes)
            data = .object(members)
        })
    }

    @Test func `a presentation that says another kind than it proves is found`() throws {
        func finding(_ words: String, _ present: (inout HistoryScene) throws -> Void) throws {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            try present(&scene)
            #expect(try scene.history.verify().findings.first?.words == words)
        }
        try finding(Trail.wrongKind) { try $0.present { $0.kind = .software } }
        try finding(Trail.wrongKind) { try $0.present { $0.passkey = nil } }
        // A key that the account has as software does not become a passkey.
        try finding(Trail.otherFacts) { try $0.present(on: $0.staff.device) }
        // Nor another relying party's, though its challenge and its assertion say so.
        try finding(Trail.otherKind) { scene in
            let pair = scene.waiting, before = scene
            try scene.present {
                var fields = try before.passkeyChallenge($0.flow, addedBy: before.staff).fields
                fields.rpID = "evil.test"
                let challenge = try PasskeyChallenge(fields)
                $0.passkey?.rpID = "evil.test"
                $0.passkey?.challenge = challenge.bytes
                $0.passkey?.evidence = try OddAssertion(
                    rpID: "evil.test", client: OddAssertion().client.replacing("acme.example", with: "evil.test")
                ).sign(challenge.bytes, pair)
            }
        }
    }

    @Test func `a key that is none is found`() throws {
        func finding(_ key: [UInt8], _ words: String) throws {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            scene.history.spoiling = Spoiling(event: { _, data in
                guard case .object(var members) = data, members["passkey"] != nil else { return }
                members["key"] = .bytes(key)
                data = .object(members)
            })
            try scene.present()
            let found = try scene.history.verify().findings
            #expect(found == [.init(position: scene.history.last, words: words)], "\(key.count) bytes: \(found)")
        }
        let point = try SigningKeyPair().key.bytes, modulus = [0x80] + [UInt8](repeating: 1, count: 255)
        var offCurve = point
        offCurve[64] ^= 1
        try finding(offCurve, Trail.unsignedPresentation)
        // A modulus that signed nothing of this.
        try finding(modulus, Trail.unsignedPresentation)
        let unreadable = "the event cannot be read"
        for key in [
            Array(point.dropLast()), point + [0], [0x02] + point[1..<33], Array(modulus.prefix(128)), modulus + modulus,
            Array(modulus.dropLast()) + [2], [0x7F] + modulus.dropFirst(), [0] + modulus,
        ] { try finding(key, unreadable) }
    }

    @Test func `a passkey with RSA is held to the same rules`() throws {
        let secret = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let modulus = Array(try secret.publicKey.getKeyPrimitives().modulus)
        let key = try #require(PublicKeyBytes(modulus))
        func sign(_ message: [UInt8], spoiling place: Int? = nil, _ algorithm: UInt8 = 2) throws -> SignatureBytes {
            let (authenticator, client) = OddAssertion().parts(message)
            let digest = SHA256.hash(data: authenticator + Array(SHA256.hash(data: client)))
            var signature = Array(try secret.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
            if let place { signature[place] ^= 1 }
            return try OddAssertion.evidence(authenticator, client, algorithm, signature)
        }
        func scene() throws -> HistoryScene {
            var scene = try HistoryScene()
            try scene.takePasskeys()
            try scene.present {
                $0.key = key
                if let challenge = $0.passkey?.challenge { $0.passkey?.evidence = try sign(challenge) }
            }
            let by = SignedHistory.Decider.app(scene.app)
            let presented = scene.history.state.employees[scene.staff.id]?.keys[key]?.presented
            let statement = KeyStatement(
                context: try scene.history.context(by), action: .authorize, employee: scene.staff.id.uuid,
                userKeyHash: [UInt8](repeating: 3, count: 32), employeeKey: try EmployeePublicKey(bytes: modulus),
                reason: "authorized", presentedHash: try #require(scene.history.state.leaf(presented)),
                policyHash: scene.history.state.leaf(scene.history.state.tenant.policySince))
            let staff = scene.staff.id
            try scene.history.append(
                { EmployeeKeyAuthorized(employeeID: staff, key: key, by: $0) }, by: by,
                to: .employee(staff, in: scene.history.tenant), statement)
            return scene
        }
        func use(_ sign: ([UInt8]) throws -> SignatureBytes, in scene: inout HistoryScene) throws -> Int64 {
            try scene.use {
                $0.fingerprint = KeyFingerprint(of: key)
                $0.evidence = try sign($0.challenge)
            }
        }
        var lawful = try scene()
        _ = try use({ try sign($0) }, in: &lawful)
        try lawful.history.expectLawful()
        for wrong: ([UInt8]) throws -> SignatureBytes in [
            { try sign($0, spoiling: 0) }, { try sign($0, spoiling: 255) }, { try sign($0 + [0]) },
            { try sign($0, 1) }, { try OddAssertion().sign($0, try SigningKeyPair()) },
        ] {
            var scene = try scene()
            let position = try use(wrong, in: &scene)
            try scene.history.expectFinding(Trail.noAssertion, at: position)
        }
    }

    // MARK: Counters

    @Test func `log-ins and statements that overtake each other are lawful, without a note`() throws {
        var scene = try HistoryScene.withKey(OddAssertion(counter: 5))
        scene.history.time = scene.history.time.adding(.seconds(600))
        try scene.use(OddAssertion(counter: 8))
        try scene.use(OddAssertion(counter: 7))
        try scene.history.expectLawful("two log-ins")

        var (deciding, first) = try deciding(OddAssertion(counter: 5))
        let second = try SigningKeyPair()
        try deciding.history.present(second, of: deciding.staff)
        deciding.history.time = deciding.history.time.adding(.seconds(600))
        try deciding.decide(OddAssertion(counter: 8), about: first)
        try deciding.decide(OddAssertion(counter: 7), about: second)
        try deciding.history.expectLawful("two statements")
    }

    @Test func `a clone is a note for a log-in, and what is noted wrongly is found`() throws {
        let fingerprint = { (scene: HistoryScene) in KeyFingerprint(of: scene.waiting.key) }
        func repeated(_ scene: HistoryScene, _ counter: Int, _ previous: Int) -> PasskeyCounterRepeated {
            PasskeyCounterRepeated(
                employeeID: scene.staff.id, fingerprint: fingerprint(scene), counter: counter, previous: previous)
        }
        func later() throws -> HistoryScene {
            var scene = try HistoryScene.withKey(OddAssertion(counter: 5))
            scene.history.time = scene.history.time.adding(.seconds(600))
            return scene
        }
        for counter: UInt8 in [4, 5, 0] {
            var scene = try later()
            let note = repeated(scene, Int(counter), 5)
            try scene.use(OddAssertion(counter: counter), notes: [note])
            let (findings, notes) = try scene.history.verify()
            #expect(findings == [] && notes.count == 1, "\(counter): \(findings) \(notes)")

            scene = try later()
            let position = try scene.use(OddAssertion(counter: counter))
            try scene.history.expectFinding(Trail.unnoted, "\(counter)", at: position)
        }
        // The note of another counter, and one of a counter that grew.
        var scene = try later()
        let position = try scene.use(OddAssertion(counter: 4), notes: [repeated(scene, 3, 5)])
        #expect(try scene.history.verify().findings.contains(.init(position: position, words: Trail.unnoted)))
        scene = try later()
        try scene.use(OddAssertion(counter: 6))
        try scene.history.append(repeated(scene, 6, 5), about: scene.staff)
        try scene.history.expectFinding(Trail.grown)

        // A note about a key that is no passkey.
        for note: (HistoryScene, KeyFingerprint) -> any EventPayload in [
            { PasskeyCounterRepeated(employeeID: $0.staff.id, fingerprint: $1, counter: 1, previous: 2) },
            { PasskeyBackupChanged(employeeID: $0.staff.id, fingerprint: $1, backedUp: true) },
        ] {
            var scene = try later()
            try scene.history.append(note(scene, KeyFingerprint(of: scene.staff.device.key)), about: scene.staff)
            try scene.history.expectFinding(Trail.noPasskey)
        }
    }
}
