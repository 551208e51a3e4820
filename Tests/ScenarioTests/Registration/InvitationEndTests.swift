import Canonical
import Foundation
import Postgres
import TenureServer
import Testing
import TestSupport
@testable import Identity
@testable import IdentityService

/// How invitations end that nobody used, and what is left of them.
@Suite(.onServer)
struct `An unused invitation` {
    /// What the founder, or an app that administers, issues: its token and its id.
    private struct Issued {
        let token: String
        let id: UUID

        init(_ reply: HTTPReply) throws {
            token = try #require(reply["invitation"]?.text, "\(reply)")
            let text = try #require(reply["issued"]?["invitationId"]?.text, "\(reply)")
            try #require(text.isUUIDOfVersion8, "\(reply)")
            id = try #require(UUID(uuidString: text))
        }
    }

    private func issue(_ id: String, _ client: Client, by founder: Member) async throws -> Issued {
        let salt = Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        return try Issued(
            try await client.signed(
                by: founder, "POST", client.path(founder.person.company, "/invitations"),
                ["companyEmployeeId": .string(id), "subjectSalt": .string(salt)]))
    }

    private func start(_ id: String, _ company: String, _ invitation: Issued, _ client: Client) async throws
        -> HTTPReply
    {
        var body = Person(id, at: company).registration(Device()).members
        body["invitation"] = .string(invitation.token)
        return try await client.post("/v1/registrations", .object(body))
    }

    /// Runs one sweep at a time.
    private func sweep(at time: Timestamp, _ world: TenureWorld) async throws {
        let service = try #require(world.service as? TenureService)
        try await world.database.withPool(as: .reader) { pool in
            let next = try await EndInvitations(context: service.context, readerPool: pool).run(at: time, after: nil)
            #expect(next == nil)
        }
    }

    private func keys(of invitations: [Issued], _ world: TenureWorld) async throws -> Int64 {
        try await world.number("SELECT count(*) FROM tenure.person_key WHERE key_id = ANY (\(invitations.map(\.id)))")
    }

    @Test(arguments: [false, true])
    func `ends permanently with its app's link or the link's role`(isUnlinked: Bool)
        async throws
    {
        try await inTurn { world in
            let company = "ended-link.example", client = try world.client
            let attack = try await Attack(company, client), founder = attack.founder
            let personnel = try await world.makeApp(name: "personnel"), roles = ["ACCESS", "ADMINISTRATION"]
            let app = client.by(personnel).with(secret: try await world.issueSecret(for: personnel, roles: roles))
            try await attack.decided(attack.link(personnel, roles: roles))
            let path = client.path(company, "/invitations")
            let ended = try Issued(try await app.post(path, ["companyEmployeeId": "zoe"]))
            let kept = try await issue("amy", client, by: founder)
            #expect(try await start("zoe", company, ended, client).status == 201)

            try await attack.decided(
                isUnlinked
                    ? attack.decide("DELETE", client.path(company, "/apps/\(personnel.appId)"), by: founder)
                    : attack.link(personnel, roles: ["ACCESS"]))
            try expectProblem(try await start("zoe", company, ended, client), "invitation.invalid")
            let listed = try await client.get(path, by: founder.session)
            #expect(listed["items"]?.items.compactMap { $0["companyEmployeeId"]?.text } == ["amy"])
            // What was lost and given again revives nothing.
            try await attack.decided(attack.link(personnel, roles: roles))
            try expectProblem(try await start("zoe", company, ended, client), "invitation.invalid")

            for _ in 0..<2 { try await sweep(at: .now(), world) }
            let revoked = try await client.events(company, "type=InvitationRevoked").map { $0["data"] }
            #expect(revoked.map { $0?["invitationId"]?.text } == [ended.id.uuidString.lowercased()])
            #expect(revoked.map { $0?["reason"]?.text } == ["issuerEnded"])
            #expect(try await keys(of: [ended], world) == 0)
            #expect(try await keys(of: [kept], world) == 1)
            #expect(try await start("amy", company, kept, client).status == 201)
        }
    }

    @Test func `leaves no key or claim once revoked or expired, and a used one leaves its key`()
        async throws
    {
        try await inTurn { world in
            let company = "forgotten.example", client = try world.client
            let founder = try await client.found(company)
            let revoked = try await issue("revoked", client, by: founder)
            let expired = try await issue("expired", client, by: founder)
            let used = try await issue("used", client, by: founder)
            try await use(used, Person("used", at: company), client)
            let path = client.path(company, "/invitations/\(revoked.id.uuidString.lowercased())")
            expectOutcome(try await client.signed(by: founder, "DELETE", path), "done")

            let now = Timestamp.now(), day = 86_400
            try await sweep(at: now, world)
            #expect(try await keys(of: [revoked], world) == 0)
            #expect(try await keys(of: [expired, used], world) == 2)
            // A week is the usual time; what expired is kept for a day more.
            try await sweep(at: now.adding(.seconds(7 * day + day / 2)), world)
            #expect(try await keys(of: [expired, used], world) == 2)
            try await sweep(at: now.adding(.seconds(8 * day + 3_600)), world)
            #expect(try await keys(of: [expired], world) == 0)
            #expect(try await keys(of: [used], world) == 1)
            let claims = try await world.number(
                "SELECT count(*) FROM tenure.claim WHERE kind IN ('invitation', 'rekeying')")
            #expect(claims == 0, "and the buckets have other keys")

            // The log stays, without the names; other keys of the buckets were wrapped again.
            let issued = try await client.events(company, "type=InvitationIssued").map { $0["data"] }
            #expect(issued.map { $0?["companyEmployeeId"]?.text } == ["[erased]", "[erased]", "used"])
            for invitation in [revoked, expired] {
                try expectProblem(try await start("any", company, invitation, client), "invitation.invalid")
            }
            expectOutcome(try await client.signed(by: founder, "DELETE", path), "done")
            expectOutcome(try await client.logIn(founder.person, founder.device), "success")
        }
    }

    /// Registers with an invitation.
    private func use(_ invitation: Issued, _ person: Person, _ client: Client) async throws {
        let device = Device()
        var body = person.registration(device).members
        body["invitation"] = .string(invitation.token)
        let started = try await client.post("/v1/registrations", .object(body))
        let flow = Flow(
            client: client, kind: .registrations, handle: try #require(started["flow"]?.text),
            challenge: try #require(started.challenge))
        expectOutcome(try await flow.complete(person, try await flow.prove(device)), "authorizationPending")
    }
}

@Suite(.onServer)
struct `A provisional employee id` {
    @Test func `is released 30 days after its registration unless a device key is authorized`() async throws {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("month.example")
            let squatter = Person("1001", at: "month.example")
            expectOutcome(try await client.register(squatter, Device()), "authorizationPending")
            _ = try await client.join(Person("1002", at: "month.example"))
            try await client.settle("month.example")

            let now = Timestamp.now()
            #expect(try await release(at: now.adding(.seconds(29 * 86_400)), world) == 0)
            #expect(try await release(at: now.adding(.seconds(31 * 86_400)), world) == 1)
            #expect(try await release(at: now.adding(.seconds(31 * 86_400)), world) == 0, "the view has not read it")
            let events = try await client.events("month.example").filter { $0["type"]?.text == "EmployeeIdReleased" }
            #expect(events.count == 1 && events.first?["data"]?["reason"]?.text == "expired")

            expectOutcome(
                try await client.register(
                    Person("1001", at: "month.example", email: squatter.email), Device()), "authorizationPending")
            try expectProblem(
                try await client.register(Person("1002", at: "month.example"), Device()),
                "employee.already_registered")
        }
    }

    /// Runs one sweep at a time.
    private func release(at time: Timestamp, _ world: TenureWorld) async throws -> Int {
        let service = try #require(world.service as? TenureService)
        return try await world.database.withPool(as: .reader) { pool in
            try await ReleaseExpiredIDs(context: service.context, readerPool: pool).run(at: time)
        }
    }
}
