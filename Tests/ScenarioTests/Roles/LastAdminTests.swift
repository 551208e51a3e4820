import Canonical
import Foundation
import Testing

/// A company is never without somebody who may decide for it, in whatever order its admins act.
@Suite(.onServer, .sharedWorld)
struct `The last admin` {
    private func give(
        _ role: String, to member: Member, by admin: Member, _ client: Client
    ) async throws -> HTTPReply {
        try await client.signed(
            by: admin, "POST", client.path(member.person, "/role"), ["role": .string(role)])
    }

    private func securityAdmin(of company: String, _ client: Client) async throws -> String? {
        try await client.settle(company)
        return try await client.get(client.path(company, "/security-admin"))["employee"]?["companyEmployeeId"]?.text
    }

    @Test(arguments: 1...5)
    func `of two admins who dismiss each other at once one stays`(round: Int) async throws {
        let client = try sharedWorld().client
        let company = "dismissals-\(round).example"
        let founder = try await client.found(company)
        let one = try await client.join(Person("one", at: company))
        let two = try await client.join(Person("two", at: company))
        for member in [one, two] { expectOutcome(try await give("admin", to: member, by: founder, client), "done") }
        async let first = give("employee", to: two, by: one, client)
        async let second = give("employee", to: one, by: two, client)
        let replies = try await [first, second]
        #expect(replies.count { $0.outcome == "done" && $0["position"] != nil } == 1, "\(replies)")
        for reply in replies where reply.outcome != "done" { try expectProblem(reply, "authorization.not_permitted") }
        let dismissals = try await client.events(company, "type=AdminDismissed", by: founder.session)
        #expect(dismissals.count == 1)
        #expect(try await securityAdmin(of: company, client) == "founder")
    }

    @Test(arguments: 1...5)
    func `a security admin is followed by one, though two successions and a cancellation come at once`(
        round: Int
    ) async throws {
        let client = try sharedWorld().client
        let company = "successions-\(round).example"
        let founder = try await client.found(company)
        let one = try await client.join(Person("one", at: company))
        let two = try await client.join(Person("two", at: company))
        expectOutcome(try await give("admin", to: two, by: founder, client), "done")
        async let first = give("securityAdmin", to: one, by: founder, client)
        async let second = give("securityAdmin", to: two, by: founder, client)
        // Whoever follows cannot be cancelled, and whoever is cancelled does not follow.
        async let cancelled = client.post(client.path(one.person, "/cancellation"), by: two.session)
        let replies = try await [first, second], cancellation = try await cancelled
        let events = try await client.events(company, "type=SecurityAdminSucceeded", by: two.session)
        #expect(events.count <= 1 || replies.count { $0.outcome == "done" } == events.count, "\(replies)")
        let name = try await securityAdmin(of: company, client)
        #expect(["founder", "one", "two"].contains(name))
        let read = try await client.get(client.path(company, "/employees/\(name ?? "")"))
        #expect(read["status"]?.text == "active" && read["role"]?.text == "securityAdmin", "\(read) \(cancellation)")
        if cancellation.outcome == "done" { #expect(name != "one") }
    }

    @Test func `is neither cancelled, dismissed nor reclaimed, and keeps a key, whoever tries`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "kept.example"
        var person = Person("founder", at: company, email: "f@kept.example")
        person.isCompanyOwnedEmail = true
        let founder = try await client.found(company, by: person)
        try await world.confirmDomain(of: company)
        let admin = try await client.join(Person("admin", at: company))
        expectOutcome(try await give("admin", to: admin, by: founder, client), "done")
        for member in [founder, admin] {
            try expectProblem(
                try await client.post(client.path(person, "/cancellation"), by: member.session),
                "authorization.not_permitted")
            try expectProblem(
                try await give("employee", to: founder, by: member, client), "authorization.not_permitted")
            try expectProblem(
                try await client.post(
                    client.path(company, "/reclaimed-emails"), ["email": .string(person.email), "reason": "r"],
                    by: member.session), "authorization.not_permitted")
        }
        try expectProblem(
            try await client.signed(
                by: founder, "POST", client.path(person, "/keys/\(founder.device.fingerprint)/revocation"),
                ["reason": "lost"]), "authorization.not_permitted")
        expectOutcome(try await client.logIn(person, founder.device), "success")
        #expect(try await securityAdmin(of: company, client) == "founder")
    }
}
