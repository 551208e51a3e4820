import Canonical
import Crypto
import Foundation
import Identity
import IdentityService
import Ledger
import TenureAPI
import TestSupport
import Testing

/// What an authenticator and a browser say, as far as a test changes it.
struct OddSaying: Sendable {
    /// The client data: `$C` stands for the challenge, `$O` for the origin, `$T` for the usual type.
    var client = #"{"type":"$T","challenge":"$C","origin":"$O","crossOrigin":false}"#
    var origin: String?
    var rpID: String?
    var flags: UInt8?
    var counter: UInt8 = 0
    /// What follows the counter, or the credential of a creation.
    var rest: [UInt8] = []
    /// Another key that signs.
    var signer: P256.Signing.PrivateKey?

    /// Client data that says something else, for a creation and for an assertion.
    static let wrong = [
        OddSaying(client: #"{"type":"$T","challenge":"$C","origin":"$O","crossOrigin":true}"#),
        OddSaying(client: #"{"type":"$T","challenge":"$C","origin":"$O","topOrigin":"$O"}"#),
        OddSaying(client: #"{"type":"$T","challenge":"$C","origin":"https://evil.test","origin":"$O"}"#),
        OddSaying(client: #"{"type":"$T","challenge":"$C","origin":"$O","orig\u0069n":"$O"}"#),
        OddSaying(client: #"{"type":"payment.get","challenge":"$C","origin":"$O"}"#),
        OddSaying(client: #"{"type":"$T","challenge":"$C=","origin":"$O"}"#),
        OddSaying(client: #"[{"type":"$T","challenge":"$C","origin":"$O"}]"#),
        OddSaying(origin: "http://badlocalhost:8080"), OddSaying(origin: "http://localhost:8081"),
        OddSaying(origin: "https://localhost:8080"), OddSaying(rpID: "badlocalhost"),
        OddSaying(flags: 0x01), OddSaying(flags: 0x04), OddSaying(flags: 0x15), OddSaying(rest: [0xA0]),
    ]

    /// What browsers and authenticators may add.
    static let right = [
        OddSaying(), OddSaying(client: #"{"x":{"origin":[1]},"origin":"$O","challenge":"$C","type":"$T"}"#),
        OddSaying(flags: 0x85, rest: [0xA1, 0x6B] + Array("credProtect".utf8) + [0x02]),
    ]
}

extension SoftwareAuthenticator {
    /// What is signed over a challenge.
    fileprivate func parts(
        _ type: String, _ challenge: [UInt8], _ odd: OddSaying, credential: [UInt8] = []
    ) -> (authenticator: [UInt8], client: [UInt8]) {
        let added = credential.isEmpty ? 0 : Flags.credential
        let client = odd.client.replacing("$T", with: type).replacing("$O", with: odd.origin ?? origin)
            .replacing("$C", with: Base64URL.encode(challenge))
        return (
            Array(SHA256.hash(data: Array((odd.rpID ?? rpID).utf8)))
                + [(odd.flags ?? flags) | added, 0, 0, 0, odd.counter] + credential + odd.rest,
            Array(client.utf8)
        )
    }

    /// The evidence over the SHA-256 of bytes, in base64url.
    func evidence(over bytes: [UInt8], _ odd: OddSaying, type: String = "webauthn.get") throws -> String {
        let (authenticator, client) = parts(type, Array(SHA256.hash(data: bytes)), odd)
        let signed = authenticator + Array(SHA256.hash(data: client))
        return Self.framed(authenticator, client, try signature(over: signed, by: odd.signer))
    }

    /// What the form of the account page sends of a creation.
    ///
    /// - Parameter change: Changes the credential: 18 bytes before the id, the id, and the COSE key of 77 bytes.
    func creation(
        _ odd: OddSaying, type: String = "webauthn.create", change: (inout [UInt8]) -> Void = { _ in }
    ) -> [String: String?] {
        let random = (0..<32).map { _ in UInt8.random(in: 0...255) }
        var credential = [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id + cose
        change(&credential)
        let (authenticator, client) = parts(type, random, odd, credential: credential)
        return [
            "random": Base64URL.encode(random), "spki": Base64URL.encode(spki),
            "authenticator": Base64URL.encode(authenticator), "client": Base64URL.encode(client),
        ]
    }
}

/// A company that permits passkeys, with an employee who is logged in in a browser.
struct PasskeyScene: Sendable {
    static let origin = "http://localhost:8080"

    let company: String
    let client: Client
    let founder: Member
    let member: Member
    /// Where the employee is logged in with their device key.
    let browser: PageClient

    /// - Parameter person: The employee; somebody new unless named.
    init(_ company: String, _ person: Person? = nil, in world: TenureWorld) async throws {
        self.company = company
        client = try world.client
        founder = try await client.found(company)
        try await world.linkPages(to: company)
        try await world.instance.commands.setOrigins(try PasskeyRules(rpID: "localhost", origins: [Self.origin]))
        try await client.change(policy: ["logIn": "passkeyOrSecret"], of: company, by: founder)
        member = try await client.join(person?.also("second", at: company) ?? Person("second", at: company))
        browser = PageClient(client)
        let done = try await browser.logIn(member.person, member.device)
        try #require(done.location == "/account", "\(done)")
    }

    static func authenticator() -> SoftwareAuthenticator { SoftwareAuthenticator(rpID: "localhost", origin: origin) }

    /// A challenge of the service for a log-in in a browser.
    func challenge(_ browser: PageClient) async throws -> [UInt8] {
        try await challenge(browser, "/passkey/challenge")
    }

    /// A challenge of the service for a passkey that the employee adds.
    func challenge(adding browser: PageClient) async throws -> [UInt8] {
        try await challenge(browser, "/account/passkeys/challenge")
    }

    private func challenge(_ browser: PageClient, _ path: String) async throws -> [UInt8] {
        let reply = try await browser.submit(Form(action: path, fields: []))
        try #require(reply.status == 200, "\(reply)")
        return try #require(Base64URL.decode(reply.html))
    }

    /// The page that adds a passkey.
    func addingPage() async throws -> Page {
        try await browser.press("/account/passkeys", in: try await browser.open("/account/devices"))
    }

    /// Sends the form of the page with these fields, as its module does.
    func present(_ fields: [String: String?]) async throws -> Page {
        let form = try await browser.armed(try await addingPage().form("/account/passkeys"))
        return try await browser.submit(form, fields)
    }

    /// Adds a passkey, which the employee's device key authorizes.
    func add(_ made: SoftwareAuthenticator = authenticator()) async throws -> SoftwareAuthenticator {
        var passkey = made
        let handle = try await addingPage().attribute("data-handle")
        passkey.handle = try bytes(base64url: handle)
        let challenge = try await challenge(adding: browser)
        var fields = passkey.creation(OddSaying())
        fields["challenge"] = Base64URL.encode(challenge)
        fields["proof"] = try passkey.evidence(over: challenge, OddSaying())
        let answer = try await present(fields)
        try #require(answer.status == 200, "\(answer) \(answer.text)")
        guard case .object(let members) = try StrictJSON.parse(answer.reply.body) else {
            throw Flow.Unexpected(description: answer.html)
        }
        let statement = try bytes(base64url: members["statement"]?.text)
        let signature = try bytes(base64: try member.device.sign(statement, .raw))
        let done = try await browser.submit(
            Form(
                action: "/account/decision",
                fields: members.map { (name: $0.key, value: $0.value.text ?? "") } + [
                    ("action", "authorize"), ("signature", Base64URL.encode(signature)),
                ]))
        try #require(done.status == 303 && done.location?.hasPrefix("/account/devices?done=") == true, "\(done)")
        return passkey
    }

    /// Sends the log-in of a passkey, as the module does.
    ///
    /// - Parameters:
    ///   - bytes: The challenge; a fresh one unless it is given.
    ///   - fields: Other values of the form.
    func logIn(
        _ passkey: SoftwareAuthenticator, _ odd: OddSaying = OddSaying(), in browser: PageClient,
        over bytes: [UInt8]? = nil, fields: [String: String?] = [:]
    ) async throws -> Page {
        let form = try await browser.open("/login").form("/passkey/login")
        let challenge = if let bytes { bytes } else { try await self.challenge(browser) }
        let values: [String: String?] = [
            "credential": Base64URL.encode(passkey.id), "user": Base64URL.encode(passkey.handle),
            "challenge": Base64URL.encode(challenge), "proof": try passkey.evidence(over: challenge, odd),
        ]
        return try await browser.submit(form, values.merging(fields) { $1 })
    }

    /// A browser that is logged in by a passkey alone.
    func entered(_ passkey: SoftwareAuthenticator) async throws -> PageClient {
        let browser = PageClient(client), done = try await logIn(passkey, in: browser)
        try #require(done.status == 303 && done.location == "/account", "\(done) \(done.text)")
        return browser
    }

    /// The events of a type in the company's ledger.
    func events(_ type: String) async throws -> [JSONValue] {
        try await client.events(company, "type=\(type)")
    }

    /// The page that asks for the signature of the revocation of a device of one's own.
    func askToRevoke(_ device: Device, _ browser: PageClient) async throws -> Page {
        let list = try await browser.open("/account/devices")
        let found = list.html.matches(of: /<form[^>]*>[\s\S]*?<\/form>/).map { String($0.output) }.first {
            $0.contains("action=\"/account/decision\"") && $0.contains("value=\"\(device.fingerprint)\"")
        }
        let html = try #require(found, "\(list.text)")
        let fields = html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
            (name: String($0.output.1), value: Page.plain(String($0.output.2)))
        }
        let query = String(decoding: FormEncoding.encode(fields + [("reason", "lost")]), as: UTF8.self)
        return try await browser.follow(try await browser.get("/account/decision?" + query))
    }

    /// The form of a page that asks for a signature, after its quiet second, with the statement.
    func signing(_ page: Page, _ browser: PageClient) async throws -> (form: Form, statement: [UInt8]) {
        let form = try await browser.armed(try page.form("/account/decision"))
        return (form, try bytes(base64url: form["statement"]))
    }

    /// Another device of the employee, which may log in.
    func furtherDevice() async throws -> Device {
        let device = Device()
        expectOutcome(try await client.logIn(member.person, device), "authorizationPending")
        let reply = try await client.authorize(device, of: member.person)
        try #require(reply.status == 200, "\(reply)")
        return device
    }

    /// What verification finds in the company's ledger.
    func violations(in world: TenureWorld) async throws -> (violations: [String], notes: [String]) {
        var request = VerifyRequest(key: try await world.logKey(), ledger: try await world.ledger(company))
        request.now = world.options.settings.now
        let asked = request
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: asked).run()
        }
        return (report.violations.map(\.detail), report.notes.map(\.detail))
    }
}
