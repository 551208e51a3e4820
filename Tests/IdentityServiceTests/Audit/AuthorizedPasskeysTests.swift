import Canonical
import EventCoding
import Foundation
@testable import Identity
import Keys
@testable import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// What verification says of a first secret, for which a passkey signed in place of a secret that nobody knew.
@Suite struct AuthorizedPasskeysTests {
    private let scene: HistoryScene
    private let forger: CredentialForger
    private let first: CredentialForger.Made
    private var user: UserID { scene.staff.user }

    init() throws {
        scene = try HistoryScene.withPasskey()
        forger = try CredentialForger()
        first = try forger.make(user: scene.staff.user)
    }

    private func recorded(_ payload: any EventPayload) throws -> RecordedEvent {
        let key = PersonKey(id: user.uuid, key: SecretKey())
        let new = try EventCodec.encode(
            payload, id: UUID(), stream: .user(user), keys: [user.uuid: key], metadata: EventMetadata())
        return try Entry.decode(try Entry.encode(new, version: 1, time: scene.history.time), at: 1)
    }

    private func challenge(
        _ purpose: Challenge.Purpose, _ credential: UUID, _ pair: SigningKeyPair, tenant: UUID?
    ) throws -> Challenge {
        let hash = [UInt8](repeating: 7, count: 32)
        return try Challenge(
            .init(
                issuer: "tenure", purpose: purpose, flow: UUID(), nonce: hash,
                tenant: tenant ?? scene.history.tenant.uuid,
                subject: try Commitment.subject(salt: hash, companyName: "acme.example", companyEmployeeId: "7"),
                app: "app", employeeKey: try EmployeePublicKey(bytes: pair.key.bytes), credential: credential,
                expires: scene.history.time.adding(.seconds(60))))
    }

    private func set(secretless: Bool?) throws -> RecordedEvent {
        let challenge = try challenge(.registration, first.id, scene.waiting, tenant: nil)
        return try recorded(
            CredentialsSet(
                userID: user, credentialID: CredentialID(first.id), record: try CredentialForger.stored(first.record),
                email: Personal(owner: user.uuid, text: "a@b.example"), challenge: challenge.bytes,
                deviceSignature: try PasskeySaying().sign(challenge.bytes, scene.waiting),
                userSignature: try #require(
                    SignatureBytes(try first.userKey.sign(validationOf: challenge).bytes)),
                secretless: secretless))
    }

    /// The event that sets the first secret.
    private func change(
        by pair: SigningKeyPair? = nil, _ saying: PasskeySaying? = PasskeySaying(), tenant: UUID? = nil,
        purpose: Challenge.Purpose = .change, secretless: Bool? = nil,
        authority: SetUpAuthority = .passkey
    ) throws -> RecordedEvent {
        let pair = pair ?? scene.waiting
        let made = try forger.make(user: user, following: first.previous, authority: authority)
        let challenge = try challenge(purpose, first.id, pair, tenant: tenant)
        return try recorded(
            CredentialsChanged(
                userID: user, credentialID: CredentialID(made.id), previousCredentialID: CredentialID(first.id),
                record: try CredentialForger.stored(made.record), challenge: challenge.bytes,
                deviceSignature: try saying?.sign(challenge.bytes, pair) ?? pair.sign(challenge.bytes).signature,
                userSignature: try #require(
                    SignatureBytes(try made.userKey.sign(validationOf: challenge).bytes)),
                secretless: secretless))
    }

    @Test func `only a secret that nobody knew gives way to a passkey, and to one that somebody knows`() throws {
        func finding(_ secretless: Bool?, _ change: RecordedEvent) throws -> String? {
            var trail = CredentialTrail()
            _ = trail.follow(try set(secretless: secretless), at: nil)
            return trail.follow(change, at: nil)
        }
        let change = try change()
        #expect(EventSignatures.violation(change) == nil)
        #expect(try finding(true, change) == nil)
        #expect(try finding(nil, change) == CredentialTrail.notFirst)
        #expect(try finding(true, self.change(purpose: .recovery)) == CredentialTrail.notFirst)
        #expect(try finding(true, self.change(secretless: true)) == CredentialTrail.notFirst)
        // Only the service can have kept the secret that nobody knows.
        #expect(
            try finding(true, self.change(authority: .changed(oldKey: first.userKey))) == CredentialTrail.nobodyKnows)
        #expect(ValidatedKey(record: try set(secretless: true)) == nil)
        #expect(ValidatedKey(record: try set(secretless: nil)) != nil)
    }

    @Test func `the passkey is one of the user's that was authorized`() throws {
        var keys = AuthorizedPasskeys()
        for event in scene.history.events { keys.follow(event, scene.history.state.employees) }
        #expect(keys.match(try change(by: scene.admin.device)) == nil, "a tenant that was not read says nothing")
        keys.complete(scene.history.ledger)
        #expect(keys.match(try change()) == nil)
        #expect(keys.match(try change(tenant: UUID())) == nil)
        let words = AuthorizedPasskeys.words
        #expect(keys.match(try change(by: SigningKeyPair())) == words)
        // The user's own key of a browser, and the passkey's key with the form of another key or another site.
        #expect(keys.match(try change(by: scene.staff.device, nil)) == words)
        #expect(keys.match(try change(nil)) == words)
        #expect(keys.match(try change(PasskeySaying(rpID: "example"))) == words)
        #expect(keys.match(try change(PasskeySaying(flags: 0x0D))) == words)
        #expect(keys.part(of: .directory(of: user)).match(try change()) == nil)
        #expect(keys.directories == [.directory(of: user)])
    }

    // MARK: Joining another company

    /// The event by which a passkey of the staff signs for an account elsewhere.
    private func join(
        by pair: SigningKeyPair? = nil, _ saying: PasskeySaying = PasskeySaying(), of other: UserID? = nil,
        change: (inout PasskeyChallenge.Fields) -> Void = { _ in }
    ) throws -> RecordedEvent {
        let pair = pair ?? scene.waiting
        var fields = try scene.passkeyChallenge(FlowID(UUID()), addedBy: scene.staff).fields
        (fields.joinedTenant, fields.joinedEmployee, fields.joinedKey) = (
            UUID(), UUID(), [UInt8](repeating: 5, count: 32)
        )
        change(&fields)
        let challenge = try PasskeyChallenge(fields), user = other ?? user
        let payload = JoinedByPasskey(
            userID: user, key: pair.key, challenge: challenge.bytes,
            evidence: try saying.sign(challenge.bytes, pair))
        let new = try EventCodec.encode(
            payload, id: UUID(), stream: .user(user), keys: [:], metadata: EventMetadata(app: scene.app.app.uuid))
        return try Entry.decode(try Entry.encode(new, version: 2, time: scene.history.time), at: 2)
    }

    @Test func `a passkey of the account that the challenge names joins another company`() throws {
        var keys = AuthorizedPasskeys()
        for event in scene.history.events { keys.follow(event, scene.history.state.employees) }
        let words = AuthorizedPasskeys.joinedWords
        #expect(keys.match(try join(by: SigningKeyPair())) == nil, "a tenant that was not read says nothing")
        keys.complete(scene.history.ledger)
        #expect(keys.match(try join()) == nil)
        #expect(keys.match(try join { $0.tenant = UUID() }) == nil, "a tenant that was not read says nothing")
        // A key that nobody presented, another user's, another account, another site, another kind.
        #expect(keys.match(try join(by: SigningKeyPair())) == words)
        #expect(keys.match(try join(of: scene.peer.user)) == words)
        #expect(keys.match(try join { $0.employee = scene.peer.id.uuid }) == words)
        #expect(keys.match(try join { $0.rpID = "other.example" }) == words)
        #expect(keys.match(try join(PasskeySaying(rpID: "example"))) == words)
        #expect(keys.match(try join(PasskeySaying(flags: 0x0D))) == words)
        #expect(keys.match(try join { ($0.joinedTenant, $0.joinedEmployee, $0.joinedKey) = (nil, nil, nil) }) == nil)
        #expect(
            EventSignatures.violation(
                try join { ($0.joinedTenant, $0.joinedEmployee, $0.joinedKey) = (nil, nil, nil) })
                == "the challenge is for another purpose")
        #expect(EventSignatures.violation(try join { $0.app = "other" }) == "the challenge is of another app")
        #expect(EventSignatures.violation(try join(PasskeySaying(isSpoilt: true))) != nil)
        #expect(EventSignatures.violation(try join()) == nil)
    }

    @Test func `a passkey that was revoked joins no company`() throws {
        var scene = scene
        try scene.end(.revoke, scene.waiting, of: scene.staff, by: .app(scene.app))
        var keys = AuthorizedPasskeys(), state = AuthorityTrail(system: nil)
        for event in scene.history.events {
            _ = state.follow(event)
            keys.follow(event, state.employees)
        }
        keys.complete(scene.history.ledger)
        #expect(keys.match(try join()) == nil, "ledgers have no common order")
        scene.history.time = scene.history.time.adding(.seconds(130))
        let late = try Self.at(scene.history.time, try join())
        #expect(keys.match(late) == AuthorizedPasskeys.joinedWords)
    }

    private static func at(_ time: Timestamp, _ event: RecordedEvent) throws -> RecordedEvent {
        let new = NewEvent(
            id: event.id, stream: event.stream, type: event.type, data: event.data, app: event.app,
            requestId: event.requestId)
        return try Entry.decode(try Entry.encode(new, version: event.streamVersion, time: time), at: event.position)
    }

    @Test func `who has a secret proves it, and a challenge joins once and in time`() throws {
        let set = try set(secretless: true), first = try join()
        func findings(_ events: [RecordedEvent]) -> [String?] {
            var trail = CredentialTrail()
            return events.map { trail.follow($0, at: nil) }
        }
        #expect(findings([set, first, try join()]) == [nil, nil, nil])
        let words = CredentialTrail.joinedWithSecret
        #expect(findings([set, first, first]) == [nil, nil, words])
        #expect(findings([try self.set(secretless: nil), first]) == [nil, words])
        #expect(findings([first]) == [words])
        #expect(findings([set, try change(), first]) == [nil, nil, words])
        let late = try join { $0.expires = $0.expires.adding(.seconds(-180)) }
        let lasting = try join { $0.expires = $0.expires.adding(.seconds(600)) }
        #expect(findings([set, late, lasting]) == [nil, CredentialTrail.joinedLate, CredentialTrail.joinedLate])
    }
}
