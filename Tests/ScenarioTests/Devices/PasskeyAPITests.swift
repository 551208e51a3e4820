import Canonical
import Crypto
import Foundation
import Identity
import IdentityService
import TestSupport
import Testing

private let passkeyClock = TestClock()
private let passkeyMailbox = Mailbox()

/// Passkeys of an app that has its own page, or none: over `/v1`.
@Suite(
    .onServer, .serialized,
    .sharedWorld {
        $0.settings.tokenIssuer = "http://localhost:8080"
        $0.settings.now = { passkeyClock.now }
        passkeyMailbox.serve(&$0)
    })
struct `A passkey over the API` {
    /// The origin of the app's page, which the operator lists beside that of the service.
    private static let origin = "http://localhost:5000"
    private static let rpID = "localhost"

    private func scene(
        _ company: String, logIn: String = "passkeyOrSecret"
    ) async throws -> (client: Client, founder: Member, member: Member) {
        let world = try sharedWorld(), client = try world.client
        let founder = try await client.found(company)
        try await world.instance.commands.setOrigins(
            try PasskeyRules(rpID: Self.rpID, origins: ["http://localhost:8080", Self.origin]))
        if logIn != "secret" { try await client.change(policy: ["logIn": .string(logIn)], of: company, by: founder) }
        return (client, founder, try await client.join(Person("second", at: company)))
    }

    private func authenticator(origin: String = origin) -> SoftwareAuthenticator {
        SoftwareAuthenticator(rpID: Self.rpID, origin: origin)
    }

    private func bytes(_ options: HTTPReply, _ name: String) throws -> [UInt8] {
        try #require(options[name]?.text.flatMap { Base64URL.decode($0) }, "\(options)")
    }

    /// Opens the link that verifies somebody's address.
    private func verifyAddress(_ member: Member, _ client: Client) async throws {
        let world = try sharedWorld(), before = passkeyMailbox.copies.count
        expectOutcome(try await client.post("/v1/me/email-verification", by: member.session), "sent")
        let form = /https:\/\/id\.example(\/verify-email\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64})/
        func link() -> String? {
            passkeyMailbox.copies.dropFirst(before).lazy.compactMap { copy in
                copy.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
                    .firstMatch(of: form).map { String($0.1) }
            }.first
        }
        try await world.until { link() != nil }
        #expect(try await world.press(try #require(link())).status == 200)
    }

    /// Presents a passkey with the options of the caller.
    private func present(
        _ passkey: SoftwareAuthenticator, by member: Member, _ client: Client, options: HTTPReply? = nil
    ) async throws -> HTTPReply {
        let asked: HTTPReply
        if let options {
            asked = options
        } else {
            asked = try await client.post("/v1/passkeys/options", by: member.session)
        }
        let challenge = try bytes(asked, "challenge")
        let creation = passkey.creation(try bytes(asked, "digest"))
        return try await client.post(
            "/v1/passkeys",
            [
                "challenge": .bytes(challenge),
                "creation": [
                    "authenticatorData": .string(creation["authenticator"].flatMap(\.self) ?? ""),
                    "clientDataJSON": .string(creation["client"].flatMap(\.self) ?? ""),
                ],
                "answer": try passkey.answer(to: challenge),
            ], by: member.session)
    }

    /// Presents a passkey, and has the app authorize it.
    private func add(
        _ made: SoftwareAuthenticator, to member: Member, _ client: Client
    ) async throws -> SoftwareAuthenticator {
        var passkey = made
        let options = try await client.post("/v1/passkeys/options", by: member.session)
        passkey.handle = try bytes(options, "userHandle")
        let device = try await present(passkey, by: member, client, options: options)
        try #require(device.status == 200 && device["state"]?.text == "pending", "\(device)")
        #expect(device["fingerprint"]?.text == passkey.fingerprint)
        let path = client.path(member.person, "/keys/\(passkey.fingerprint)/authorization")
        expectOutcome(try await client.post(path), "done")
        return passkey
    }

    private func logIn(
        _ passkey: SoftwareAuthenticator, _ client: Client, over challenge: [UInt8]? = nil
    ) async throws -> HTTPReply {
        let asked: [UInt8]
        if let challenge {
            asked = challenge
        } else {
            asked = try bytes(try await client.post("/v1/logins/passkey/options"), "challenge")
        }
        return try await client.post(
            "/v1/logins/passkey", ["challenge": .bytes(asked), "answer": try passkey.answer(to: asked)])
    }

    @Test func `is presented, authorized, and opens a session like any log-in`() async throws {
        let (client, _, member) = try await scene("passkey-api.example")
        let passkey = try await add(authenticator(), to: member, client)
        let done = try await logIn(passkey, client)
        expectOutcome(done, "success")
        let token = try #require(done["session"]?["accessToken"]?.text)
        let me = try await client.get("/v1/me", by: .session(token))
        #expect(me["companyEmployeeId"]?.text == "second", "\(me)")
        // Another one of the account has the same handle, and is told of this one.
        let options = try await client.post("/v1/passkeys/options", by: member.session)
        #expect(try bytes(options, "userHandle") == passkey.handle)
        #expect(options["credentialIds"] == .array([.bytes(passkey.id)]))
        #expect(try bytes(options, "digest") == Array(SHA256.hash(data: try bytes(options, "challenge"))))
    }

    @Test func `that nobody has authorized waits`() async throws {
        let (client, _, member) = try await scene("passkey-api-pending.example")
        var passkey = authenticator()
        let options = try await client.post("/v1/passkeys/options", by: member.session)
        passkey.handle = try bytes(options, "userHandle")
        _ = try await present(passkey, by: member, client, options: options)
        expectOutcome(try await logIn(passkey, client), "authorizationPending")
    }

    @Test func `opens nothing where the company asks for a secret`() async throws {
        let (client, _, member) = try await scene("passkey-api-secret.example", logIn: "secret")
        let passkey = try await add(authenticator(), to: member, client)
        try expectProblem(try await logIn(passkey, client), "authorization.not_permitted")
    }

    @Test func `has one refusal for whatever is wrong with its answer`() async throws {
        let (client, _, member) = try await scene("passkey-api-wrong.example")
        let passkey = try await add(authenticator(), to: member, client)
        var otherAccount = passkey, unverified = passkey, nameless = passkey
        otherAccount.handle[0] ^= 1
        unverified.flags = SoftwareAuthenticator.Flags.present
        nameless.handle = []
        var answers: Set<String> = []
        for wrong in [authenticator(), otherAccount, unverified, nameless] {
            let reply = try await logIn(wrong, client), request = try #require(reply["requestId"]?.text)
            try expectProblem(reply, "employee.key_invalid")
            answers.insert(String(decoding: reply.body, as: UTF8.self).replacing(request, with: ""))
        }
        #expect(answers.count == 1, "\(answers)")
        // A challenge for adding a passkey logs nobody in, and that of a log-in adds none.
        let ofAccount = try await client.post("/v1/passkeys/options", by: member.session)
        try expectProblem(
            try await logIn(passkey, client, over: try bytes(ofAccount, "challenge")), "employee.key_invalid")
        let ofLogin = try await client.post("/v1/logins/passkey/options")
        try expectProblem(
            try await present(authenticator(), by: member, client, options: ofLogin), "employee.key_invalid")
        try expectProblem(
            try await present(authenticator(origin: "http://badlocalhost:5000"), by: member, client),
            "employee.key_invalid")
    }

    @Test func `that counts no further is told, and opens nothing under clonedKey stop until an admin decides`()
        async throws
    {
        let company = "passkey-api-copy.example"
        let world = try sharedWorld(), (client, founder, member) = try await scene(company)
        for person in [founder, member] { try await verifyAddress(person, client) }
        func notices() -> Int {
            passkeyMailbox.copies.count { $0.text.contains("Subject: There may be a copy of a passkey") }
        }
        var made = authenticator()
        made.counter = 5
        var passkey = try await add(made, to: member, client)
        passkey.counter = 9
        expectOutcome(try await logIn(passkey, client), "success")
        // One that was overtaken is no copy, whatever the policy.
        passkey.counter = 8
        try await client.change(policy: ["clonedKey": "stop"], of: company, by: founder)
        expectOutcome(try await logIn(passkey, client), "success")
        #expect(notices() == 0)
        passkeyClock.pass(.seconds(180))
        let admin = try await client.again(founder)
        try await client.change(policy: ["clonedKey": "report"], of: company, by: admin)
        expectOutcome(try await logIn(passkey, client), "success")
        try await world.until { notices() == 2 }
        try await client.change(policy: ["clonedKey": "stop"], of: company, by: admin)
        passkey.counter = 20
        try expectProblem(try await logIn(passkey, client), "passkey.stopped")
        // An app does not put it in force again.
        let path = client.path(member.person, "/keys/\(passkey.fingerprint)/authorization")
        expectOutcome(try await client.post(path), "done")
        try expectProblem(try await logIn(passkey, client), "passkey.stopped")
        expectOutcome(try await client.signed(by: admin, "POST", path), "done")
        expectOutcome(try await logIn(passkey, client), "success")
        passkeyClock.pass(.seconds(180))
        // The copy itself is refused, and that is recorded.
        try expectProblem(try await logIn(passkey, client), "passkey.stopped")
        let notes = try await client.events(
            company, "type=PasskeyCounterRepeated")
        #expect(notes.count == 2, "\(notes)")
        try await world.until { notices() == 4 }
    }

    @Test func `answers a challenge once, and only that of its app and account`() async throws {
        let (client, founder, member) = try await scene("passkey-api-once.example")
        let passkey = try await add(authenticator(), to: member, client)
        let challenge = try bytes(try await client.post("/v1/logins/passkey/options"), "challenge")
        expectOutcome(try await logIn(passkey, client, over: challenge), "success")
        try expectProblem(try await logIn(passkey, client, over: challenge), "flow.already_used")
        let ofFounder = try await client.post("/v1/passkeys/options", by: founder.session)
        try expectProblem(
            try await present(authenticator(), by: member, client, options: ofFounder), "employee.key_invalid")
    }
}

extension SoftwareAuthenticator {
    /// The answer to a challenge of the service, as an app sends it.
    fileprivate func answer(to challenge: [UInt8]) throws -> JSONValue {
        var rest = try #require(Base64URL.decode(try evidence(over: challenge)))[2...]
        func part() -> [UInt8] {
            let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            defer { rest = rest.dropFirst(2 + count) }
            return Array(rest.dropFirst(2).prefix(count))
        }
        let authenticator = part(), client = part()
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: rest)
        return [
            "credentialId": .bytes(id), "authenticatorData": .bytes(authenticator), "clientDataJSON": .bytes(client),
            "signature": .bytes(Array(signature.derRepresentation)), "userHandle": .bytes(handle),
        ]
    }
}
