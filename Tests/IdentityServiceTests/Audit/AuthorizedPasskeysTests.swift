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
    private let user: UserID

    init() throws {
        let scene = try HistoryScene.withPasskey()
        try self.init(scene, scene.staff)
    }

    private init(_ scene: HistoryScene, _ member: SignedHistory.Member) throws {
        (self.scene, user) = (scene, member.user)
        forger = try CredentialForger()
        first = try forger.make(user: member.user)
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

    /// A service that has the right key could else name a tenant that nobody founded.
    @Test func `where all tenants were read, the challenge names one of them`() throws {
        var validated = ValidatedKeys(), change = try change(tenant: UUID())
        for event in scene.history.events {
            validated.passkeys.follow(event, scene.history.state.tenant, scene.history.state.employees)
        }
        validated.passkeys.complete(scene.history.ledger)
        #expect(validated.match(change, at: nil) == nil, "a tenant that was not read says nothing")
        validated.causes.releases.isComplete = true
        #expect(validated.match(change, at: nil) == AuthorizedPasskeys.words)
        var directory = try #require(validated.byDirectory()[.directory(of: user)])
        #expect(directory.match(change, at: nil) == AuthorizedPasskeys.words)
        // It may have been founded after the tenants were listed.
        validated.causes.releases.readSince = change.time
        #expect(validated.match(change, at: nil) == nil)
        change = try self.change()
        #expect(validated.match(change, at: nil) == nil)
    }

    @Test func `the passkey is one of the user's that was authorized`() throws {
        var keys = AuthorizedPasskeys()
        let releases = ReleaseTrail()
        for event in scene.history.events {
            keys.follow(event, scene.history.state.tenant, scene.history.state.employees)
        }
        #expect(
            keys.match(try change(by: scene.admin.device), at: nil, releases) == nil,
            "a tenant that was not read says nothing")
        keys.complete(scene.history.ledger)
        #expect(keys.match(try change(), at: nil, releases) == nil)
        #expect(keys.match(try change(tenant: UUID()), at: nil, releases) == nil)
        let words = AuthorizedPasskeys.words
        #expect(keys.match(try change(by: SigningKeyPair()), at: nil, releases) == words)
        // The user's own key of a browser, and the passkey's key with the form of another key or another site.
        #expect(keys.match(try change(by: scene.staff.device, nil), at: nil, releases) == words)
        #expect(keys.match(try change(nil), at: nil, releases) == words)
        #expect(keys.match(try change(PasskeySaying(rpID: "example")), at: nil, releases) == words)
        #expect(keys.match(try change(PasskeySaying(flags: 0x0D)), at: nil, releases) == words)
        #expect(keys.part(of: .directory(of: user)).match(try change(), at: nil, releases) == nil)
        #expect(keys.users == [user.uuid])
    }

    // MARK: An admin's first secret

    /// What is found in a first secret, so many seconds after its person was registered.
    private func finding(
        _ seconds: Int64, after arrange: (inout HistoryScene) throws -> Void = { _ in },
        of member: KeyPath<HistoryScene, SignedHistory.Member> = \.staff,
        _ saying: PasskeySaying = PasskeySaying(flags: 0x0D), in scene: HistoryScene? = nil
    ) throws -> String? {
        var scene = try scene ?? HistoryScene.withPasskey(saying)
        try arrange(&scene)
        let member = scene[keyPath: member]
        let account = try #require(scene.history.state.employees[member.id]?.account)
        scene.history.time = account.registeredAt.adding(.seconds(seconds))
        var inspector = scene.history.inspector()
        #expect(scene.history.findings(with: &inspector) == [])
        var validated = ValidatedKeys()
        validated.merge(inspector.validated)
        validated.passkeys.complete(scene.history.ledger)
        var directory = try #require(validated.byDirectory()[.directory(of: member.user)])
        let change = try Self(scene, member).change(by: scene.waiting, saying)
        return directory.match(change, at: change.time)
    }

    /// Somebody else may have the passkey by its sync service, and would get the role by the secret.
    @Test func `a synced passkey sets an admin's first secret on the day of the registration only`() throws {
        let late = AuthorizedPasskeys.late
        func appoint(_ scene: inout HistoryScene) throws {
            try scene.appoint(scene.staff, keys: [scene.waiting], by: scene.asFounder)
        }
        #expect(try finding(3_600, after: appoint) == nil)
        #expect(try finding(86_400, after: appoint) == nil)
        #expect(try finding(86_500, after: appoint) == late)
        #expect(try finding(86_500) == nil)
        #expect(try finding(86_500, after: appoint, PasskeySaying()) == nil)
        #expect(
            try finding(
                86_500,
                after: { scene in
                    try appoint(&scene)
                    try scene.dismiss(scene.staff, by: scene.asFounder)
                }) == nil)
        // The ledgers have no common order.
        for (seconds, words) in [(-30, nil), (-90, late)] as [(Int64, String?)] {
            let found = try finding(
                90_000,
                after: { scene in
                    let account = try #require(scene.history.state.employees[scene.staff.id]?.account)
                    scene.history.time = account.registeredAt.adding(.seconds(90_000 + seconds))
                    try appoint(&scene)
                })
            #expect(found == words, "\(seconds)")
        }
    }

    @Test func `so does that of a founder`() throws {
        var scene = try HistoryScene()
        try scene.takePasskeys()
        try scene.present(OddAssertion(flags: 0x0D), of: scene.founder)
        try scene.authorize(scene.waiting, of: scene.founder, by: scene.asFounder)
        #expect(try finding(3_600, of: \.founder, in: scene) == nil)
        #expect(try finding(90_000, of: \.founder, in: scene) == AuthorizedPasskeys.late)
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
        let releases = ReleaseTrail()
        var keys = AuthorizedPasskeys()
        for event in scene.history.events {
            keys.follow(event, scene.history.state.tenant, scene.history.state.employees)
        }
        let words = AuthorizedPasskeys.joinedWords
        #expect(
            keys.match(try join(by: SigningKeyPair()), at: nil, releases) == nil,
            "a tenant that was not read says nothing")
        keys.complete(scene.history.ledger)
        #expect(keys.match(try join(), at: nil, releases) == nil)
        #expect(
            keys.match(try join { $0.tenant = UUID() }, at: nil, releases) == nil,
            "a tenant that was not read says nothing")
        // A key that nobody presented, another user's, another account, another site, another kind.
        #expect(keys.match(try join(by: SigningKeyPair()), at: nil, releases) == words)
        #expect(keys.match(try join(of: scene.peer.user), at: nil, releases) == words)
        #expect(keys.match(try join { $0.employee = scene.peer.id.uuid }, at: nil, releases) == words)
        #expect(keys.match(try join { $0.rpID = "other.example" }, at: nil, releases) == words)
        #expect(keys.match(try join(PasskeySaying(rpID: "example")), at: nil, releases) == words)
        #expect(keys.match(try join(PasskeySaying(flags: 0x0D)), at: nil, releases) == words)
        #expect(
            keys.match(
                try join { ($0.joinedTenant, $0.joinedEmployee, $0.joinedKey) = (nil, nil, nil) }, at: nil, releases)
                == nil)
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
        let releases = ReleaseTrail()
        var keys = AuthorizedPasskeys(), state = AuthorityTrail(system: nil)
        for event in scene.history.events {
            _ = state.follow(event)
            keys.follow(event, state.tenant, state.employees)
        }
        keys.complete(scene.history.ledger)
        #expect(keys.match(try join(), at: nil, releases) == nil, "ledgers have no common order")
        scene.history.time = scene.history.time.adding(.seconds(130))
        let late = try Self.at(scene.history.time, try join())
        #expect(keys.match(late, at: nil, releases) == AuthorizedPasskeys.joinedWords)
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
