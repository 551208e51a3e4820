import Canonical
import Foundation
import IdentityService
import Ledger
import Postgres
import TestSupport
import Testing

/// A founder alone in a company, with an address that was verified 31 days ago, and a new device.
struct ReturnScene: Sendable {
    let world: TenureWorld
    let client: Client
    let clock: TestClock
    let mailbox: Mailbox
    let founder: Member
    let device = Device()
    var company: String { founder.person.company }

    /// Runs `body` with a service whose clock the test sets forward.
    static func with<Result>(
        _ company: String, isVerified: Bool = true, aged: Duration = .seconds(31 * 86_400),
        _ body: (ReturnScene) async throws -> Result
    ) async throws -> Result {
        let clock = TestClock(), mailbox = Mailbox()
        var options = WorldOptions.waiting(clock)
        mailbox.serve(&options)
        return try await inTurn(options) { world in
            let client = try world.client
            let scene = ReturnScene(
                world: world, client: client, clock: clock, mailbox: mailbox,
                founder: try await client.found(company))
            if isVerified { try await scene.verifyAddress() }
            clock.pass(aged)
            return try await body(scene)
        }
    }

    /// Opens the link that verifies the founder's address.
    func verifyAddress() async throws {
        let before = mailbox.copies.count
        expectOutcome(try await client.post("/v1/me/email-verification", by: founder.session), "sent")
        let link = try await link(/\/verify-email\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64}/, after: before)
        try #require(try await follow(link).status == 200)
        // The welcome is sent, so that no later count has it.
        try await world.until { try await world.number("SELECT count(*) FROM tenure.mail_outbox") == 0 }
    }

    /// Asks for a return, or completes it: the device's proof and the credential.
    func comeBack(_ device: Device? = nil, blind: Bool = false) async throws -> HTTPReply {
        let device = device ?? self.device
        if blind {
            let flow = try await BlindFlow.start(.returns, founder.person, device, client)
            return flow.asked.status == 200 ? try #require(try await flow.complete(founder.person)) : flow.asked
        }
        let flow = try await Flow.comeBack(founder.person, device, client)
        let asked = try await flow.prove(device)
        return asked.status == 200 ? try await flow.complete(founder.person, asked) : asked
    }

    /// Asks, and returns the link of the mail, with the words that the device shows.
    func requested(_ device: Device? = nil, blind: Bool = false) async throws -> String {
        let before = mailbox.copies.count
        let asked = try await comeBack(device, blind: blind)
        expectOutcome(asked, "authorizationPending")
        return try await openingLink(after: before) + "&words=\((device ?? self.device).fingerprint.prefix(16))"
    }

    /// Asks and opens.
    func opened(_ device: Device? = nil, blind: Bool = false) async throws {
        let link = try await requested(device, blind: blind)
        try #require(try await follow(link).status == 200)
        try #require(try await count("ReturnOpened") > 0)
    }

    /// Asks, opens, waits and completes.
    func completed(blind: Bool = false) async throws -> Member {
        try await opened(blind: blind)
        clock.pass(.seconds(48 * 3_600))
        return try Member(founder.person, device, try await comeBack(blind: blind))
    }

    /// The newest link that opens a return.
    func openingLink(after count: Int = 0) async throws -> String {
        try await link(/\/return\/[^\/?\s]+\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64}/, after: count)
    }

    /// The newest link that cancels a return.
    func cancellingLink(after count: Int = 0) async throws -> String {
        try await link(/\/return\/[^\/?\s]+\/[0-9a-f-]{36}\/cancellation\?expires=\d+&key=[0-9a-f]{64}/, after: count)
    }

    private func link(_ form: Regex<Substring>, after count: Int) async throws -> String {
        func newest() -> String? {
            mailbox.copies.dropFirst(count).reversed().lazy.compactMap { copy in
                copy.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
                    .firstMatch(of: form).map { String($0.0) }
            }.first
        }
        try await world.until { newest() != nil }
        return try #require(newest())
    }

    /// Opens a link, or presses the button on its page.
    func follow(_ link: String, _ method: String = "POST") async throws -> HTTPReply {
        try await world.follow(link, method)
    }

    /// Cancels or undoes with a device's key, without a session.
    func cancel(with device: Device) async throws -> HTTPReply {
        let flow = try await Flow.logIn(founder.person, device, client)
        let proved = try await flow.prove(device)
        try #require(proved.status == 200, "\(proved)")
        let first = try await flow.step("return/cancellation", .object([:]))
        guard first.outcome == "signatureRequired" else { return first }
        let signature = try device.sign(base64: first["statement"]?.text)
        return try await flow.step(
            "return/cancellation",
            .object(["statement": first["statement"] ?? .null, "signature": .string(signature)]))
    }

    /// The number of events of a type in the company's ledger.
    func count(_ type: String) async throws -> Int {
        try await client.events(company).count { $0["type"]?.text == type }
    }

    /// Changes the policy: what only a key with the role can.
    func administer(_ member: Member) async throws -> HTTPReply {
        try await client.signed(by: member, "PATCH", client.path(company, "/policy"), ["recoveryDelayHours": 25])
    }

    /// What verification finds.
    func violations() async throws -> [String] {
        var request = VerifyRequest(key: try await world.logKey())
        request.now = world.options.settings.now
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
        return report.violations.map(\.detail)
    }
}

/// The type of the first notice of a reply.
func notice(_ reply: HTTPReply) -> String? { reply["notices"]?.items.first?["type"]?.text }
