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
            by: admin, "POST", client.path(member.person, "/role"),
            role == "employee"
                ? ["role": .string(role)]
                : ["role": .string(role), "fingerprints": [.string(member.device.fingerprint)]])
    }

    private func securityAdmin(of company: String, _ client: Client) async throws -> String? {
        try await client.settle(company)
        return try await client.get(client.path(company, "/security-admin"))["employee"]?["companyEmployeeId"]?.text
    }

    @Test func `cannot be dismissed by another admin, only by the security admin`()
        async throws
    {
        let client = try sharedWorld().client
        let company = "dismissals.example"
        let founder = try await client.found(company)
        let one = try await client.join(Person("one", at: company))
        let two = try await client.join(Person("two", at: company))
        for member in [one, two] { expectOutcome(try await give("admin", to: member, by: founder, client), "done") }
        async let first = give("employee", to: two, by: one, client)
        async let second = give("employee", to: one, by: two, client)
        for reply in try await [first, second] { try expectProblem(reply, "authorization.not_permitted") }
        let dismissals = try await client.events(company, "type=AdminDismissed", by: founder.session)
        #expect(dismissals.isEmpty)
        #expect(try await securityAdmin(of: company, client) == "founder")
    }

    @Test(arguments: 1...5)
    func `is succeeded once under concurrent successions and a cancellation`(
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
        async let cancelled = client.signed(by: two, "POST", client.path(one.person, "/cancellation"))
        let replies = try await [first, second], cancellation = try await cancelled
        let events = try await client.events(company, "type=SecurityAdminSucceeded", by: two.session)
        // One of the two successions is done, and the founder, who is no security admin any more, is refused the other.
        #expect(events.count == 1 && replies.count { $0.outcome == "done" } == 1, "\(replies)")
        let winner = replies[0].outcome == "done" ? "one" : "two"
        for reply in replies where reply.outcome != "done" {
            #expect(
                ["authorization.not_permitted", "employee.inactive", "request.stale"].contains(reply.code), "\(reply)")
        }
        #expect(try await securityAdmin(of: company, client) == winner)
        let read = try await client.get(client.path(company, "/employees/\(winner)"))
        #expect(read["status"]?.text == "active" && read["role"]?.text == "securityAdmin", "\(read) \(cancellation)")
        // A statement about the cancellation is stale once the succession has changed a role that it names.
        let isCancelled = cancellation.outcome == "done"
        let refusals: [String?] = ["authorization.not_permitted", "request.stale"]
        #expect(isCancelled ? winner == "two" : refusals.contains(cancellation.code), "\(winner) \(cancellation)")
        let loser = try await client.get(client.path(one.person))
        #expect(loser["status"]?.text == (isCancelled ? "cancelled" : "active"), "\(loser)")
    }

    @Test func `is never cancelled, dismissed or reclaimed, and keeps a key`() async throws {
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
                try await client.signed(by: member, "POST", client.path(person, "/cancellation")),
                "authorization.not_permitted")
            try expectProblem(
                try await give("employee", to: founder, by: member, client), "authorization.not_permitted")
            try expectProblem(
                try await client.signed(
                    by: member, "POST", client.path(company, "/reclaimed-emails"),
                    ["email": .string(person.email), "reason": "r"]), "authorization.not_permitted")
        }
        try expectProblem(
            try await client.signed(
                by: founder, "POST", client.path(person, "/keys/\(founder.device.fingerprint)/revocation"),
                ["reason": "lost"]), "authorization.not_permitted")
        expectOutcome(try await client.logIn(person, founder.device), "success")
        #expect(try await securityAdmin(of: company, client) == "founder")
    }
}
