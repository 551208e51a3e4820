import Canonical
import ErrorCodes
import Foundation
import IdentityService
import Ledger
import MPinCryptography
import Postgres
import Testing

/// A company that uses M-Pin, with its security admin and a linked app, in a world of its own.
struct MPinScene: Sendable {
    let world: TenureWorld
    let client: Client
    let company: String
    let founder: Member
    let keys: TestKeySource
    let clock: MPinClock

    /// The device side of M-Pin, by the app with all roles.
    var pins: MPinScenarioClient { MPinScenarioClient(client: client, company: company, keys: keys) }

    /// The same with a secret that may not authorize: what it starts waits for somebody's decision.
    func unauthorized() async throws -> MPinScenarioClient { try await limited(to: ["ACCESS", "CREATION"]) }

    /// The same with a secret of these roles.
    func limited(to roles: [String]) async throws -> MPinScenarioClient {
        let secret = try await world.issueSecret(for: client.app, roles: roles)
        return pins.at(client.with(secret: secret))
    }

    /// The path of an identity, below `/v1`.
    func path(_ enrolment: MPinEnrolment, _ rest: String = "") -> String {
        client.path(company, "/mpin/identities/\(enrolment.identityId)\(rest)")
    }

    /// Changes the M-Pin policy with the security admin's signature.
    func change(_ policy: [String: JSONValue]) async throws {
        let reply = try await client.signed(by: founder, "PATCH", client.path(company, "/mpin/policy"), policy)
        try #require(reply.status == 200 && reply.outcome == "done", "\(reply)")
    }

    /// The app revokes an identity.
    func revoke(_ enrolment: MPinEnrolment) async throws -> HTTPReply {
        try await client.post(path(enrolment, "/revocation"), ["reason": "lost"])
    }

    /// An employee whose device key is authorized.
    func employee(_ id: String) async throws -> Member { try await client.join(Person(id, at: company)) }

    /// Links an identity by the device of a member.
    func link(_ enrolment: MPinEnrolment, by member: Member) async throws -> HTTPReply {
        try await client.signed(
            by: member, "POST", path(enrolment, "/link"), ["regOTT": .string(enrolment.regOTT)])
    }

    /// An identity of a member's address that is linked and registered.
    func linkedHolder(of member: Member, pin: String = "2741") async throws -> MPinHolder {
        let enrolment = try await unauthorized().started(member.person.email)
        expectOutcome(try await link(enrolment, by: member), "done")
        let holder = try await pins.confirmed(enrolment, pin: pin)
        let reply = try await pins.prove(holder)
        try #require(reply.status == 200, "\(reply)")
        return holder
    }

    /// What somebody holds who has stolen the client key: a token that no registration gave them.
    func stolen(_ enrolment: MPinEnrolment, pin: String = "2741") async throws -> MPinHolder {
        let tenant = try await world.ledger(company).uuid
        let key = try keys.stolenClientKey(mpinIDHash: try enrolment.hash, tenant: tenant, at: clock.now)
        let identity = try MPinIdentityPoint(digest: try enrolment.hash)
        return MPinHolder(
            enrolment: enrolment, token: key.token(without: try MPinPIN(pin), for: identity), pin: pin)
    }
}

/// Runs `body` with a company under an M-Pin policy, in a world of its own; by default the application verifies.
///
/// - Parameter mailbox: Takes the mails of the service, if it sends any.
func withMPin(
    _ company: String = "mpin.example", policy: [String: JSONValue] = ["verification": "application"],
    mailbox: Mailbox? = nil, _ body: (MPinScene) async throws -> Void
) async throws {
    let files = try TemporaryFiles()
    defer { files.remove() }
    let clock = MPinClock()
    let keys = try TestKeySource(files, clock)
    var options = WorldOptions()
    options.settings.now = { clock.now }
    options.mpinKeys = keys
    if let mailbox { mailbox.serve(&options) }
    try await inTurn(options) { world in
        let client = try world.client
        let founder = try await client.found(company)
        let scene = MPinScene(
            world: world, client: client, company: company, founder: founder, keys: keys, clock: clock)
        if !policy.isEmpty { try await scene.change(policy) }
        try await body(scene)
    }
}

// MARK: The log

extension MPinScene {
    /// The types of the events of an identity, in order.
    func types(_ enrolment: MPinEnrolment) async throws -> [String] {
        try await types("mpin", try #require(UUID(uuidString: enrolment.identityId)))
    }

    /// The types of the events of a stream, in order.
    func types(_ kind: String, _ id: UUID) async throws -> [String] {
        try await world.superuser { connection in
            let rows = try await connection.query(
                "SELECT type FROM tenure.event WHERE kind = \(kind) AND stream_id = \(id) ORDER BY version")
            return try rows.map { try $0.decode(String.self) }
        }
    }

    /// The number of right proofs of an identity that the log has.
    func authentications(_ enrolment: MPinEnrolment) async throws -> Int {
        Int(
            try await world.number(
                """
                SELECT count(*) FROM tenure.event WHERE type = 'MPinAuthenticated'
                    AND position(\(enrolment.identityId) IN convert_from(entry, 'UTF8')) > 0
                """))
    }

    /// The number of all events but those that the service appends by itself.
    private func eventCount() async throws -> Int64 {
        try await world.number(
            "SELECT count(*) FROM tenure.event WHERE type NOT IN ('CheckpointSealed', 'SessionClosed')")
    }

    /// Expects that calls append nothing to any ledger.
    func expectNothingAppended<Result>(
        _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation, _ calls: () async throws -> Result
    ) async throws -> Result {
        let before = try await eventCount()
        let result = try await calls()
        let after = try await eventCount()
        #expect(after == before, "\(what) appended an event", sourceLocation: sourceLocation)
        return result
    }

    /// Expects a refusal that appends nothing.
    func expectRefusal(
        _ code: String, _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ call: () async throws -> HTTPReply
    ) async throws {
        let reply = try await expectNothingAppended(what, sourceLocation: sourceLocation, call)
        expectMPinProblem(reply, code, what, sourceLocation: sourceLocation)
    }
}

// MARK: Refusals

/// The status of a code on the M-Pin surface. There, 401 means a wrong proof, so that a refused app gets 403.
private func mpinStatus(of code: String) -> Int? {
    ["app.unknown", "app.secret_invalid"].contains(code) ? 403 : ErrorCode(rawValue: code)?.status
}

/// Expects a refusal of the M-Pin surface.
func expectMPinProblem(
    _ reply: HTTPReply, _ code: String, _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.code == code, "\(what): \(reply)", sourceLocation: sourceLocation)
    #expect(reply.status == mpinStatus(of: code), "\(what): \(reply)", sourceLocation: sourceLocation)
    #expect(reply.headers["content-type"] == "application/problem+json", "\(what)", sourceLocation: sourceLocation)
    #expect(reply.headers["cache-control"] == "no-store", "\(what)", sourceLocation: sourceLocation)
    if reply.status == 429 || reply.status == 503 {
        let seconds = reply.headers["retry-after"].flatMap(Int.init) ?? 0
        #expect(seconds >= 1, "Retry-After of \(reply)", sourceLocation: sourceLocation)
    }
}
