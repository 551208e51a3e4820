import Canonical
import ErrorCodes
import Foundation
@testable import IdentityService
import Ledger
import Postgres
import TenureAPI
import TenureServer
import TestSupport
import Testing

/// Time passes only for the call that is told another time, so this speaks to the service behind the address.
@Suite(.onServer, .sharedWorld { $0.servesPages = true })
struct `The session of an admin in a browser` {
    private struct Scene {
        let founder: Member
        let cookie: String
        let begin: Timestamp
    }

    /// The browser session at a time after the beginning, as a page that is opened then finds it.
    private func open(_ cookie: String, _ begin: Timestamp, after minutes: Int64) async throws -> BrowserSession? {
        let call = Call(requestId: Person.word(), time: begin.adding(.seconds(minutes * 60)))
        return try await sharedWorld().service.run(FindBrowserSession(cookie: cookie), call)
    }

    private func cookie(of member: Member) async throws -> String {
        let browser = PageClient(try sharedWorld().client)
        let done = try await browser.logIn(member.person, member.device)
        try #require(done.location == "/account", "\(done)")
        return try #require(browser.cookies["tenure"])
    }

    private func scene(_ company: String) async throws -> Scene {
        let world = try sharedWorld()
        let founder = try await world.client.found(company)
        try await world.linkPages(to: company)
        let begin = Timestamp.now()
        return Scene(founder: founder, cookie: try await cookie(of: founder), begin: begin)
    }

    @Test func `ends after an hour without use, and not before`() async throws {
        let scene = try await scene("idle-admin.example")
        for minutes: Int64 in [59, 117, 175] {
            let session = try await open(scene.cookie, scene.begin, after: minutes)
            #expect(session != nil, "after \(minutes) minutes")
        }
        // The last use was noted at minute 175.
        #expect(try await open(scene.cookie, scene.begin, after: 175 + 61) == nil)
        #expect(try await open(scene.cookie, scene.begin, after: 600) == nil, "it does not come back")
    }

    @Test func `ends after eight hours, however often it is used`() async throws {
        let scene = try await scene("long-admin.example")
        for minutes in stride(from: Int64(50), through: 470, by: 50) {
            #expect(try await open(scene.cookie, scene.begin, after: minutes) != nil, "after \(minutes) minutes")
        }
        #expect(try await open(scene.cookie, scene.begin, after: 475) != nil)
        #expect(try await open(scene.cookie, scene.begin, after: 481) == nil)
    }

    @Test func `is written at most once in five minutes, whoever's it is`() async throws {
        let world = try sharedWorld(), company = "written-admin.example"
        let scene = try await scene(company)
        let member = try await world.client.join(Person("second", at: company))
        for cookie in [scene.cookie, try await self.cookie(of: member)] {
            let begin = Timestamp.now()
            let session = try #require(try await open(cookie, begin, after: 0)).sessionID
            func minutes() async throws -> Int64 {
                try await world.number(
                    """
                    SELECT (extract(epoch FROM used_at - created_at) / 60)::bigint FROM tenure.session
                    WHERE session_id = \(session)
                    """)
            }
            _ = try await open(cookie, begin, after: 4)
            #expect(try await minutes() == 0)
            _ = try await open(cookie, begin, after: 12)
            #expect(try await minutes() == 12)
            _ = try await open(cookie, begin, after: 14)
            #expect(try await minutes() == 12)
        }
    }

    @Test func `begins when the role is gained, and counts from the last use`() async throws {
        let world = try sharedWorld(), client = try world.client, company = "gained-admin.example"
        let scene = try await scene(company)
        let member = try await client.join(Person("second", at: company))
        let cookie = try await cookie(of: member)
        #expect(try await open(cookie, scene.begin, after: 600) != nil, "an employee's lasts a day")
        // A clock that went back notes the use anew.
        #expect(try await open(cookie, scene.begin, after: 1) != nil)
        expectOutcome(
            try await client.signed(
                by: scene.founder, "POST", client.path(member.person, "/role"),
                ["role": "admin", "fingerprints": [.string(member.device.fingerprint)]]), "done")
        #expect(try await open(cookie, scene.begin, after: 59) != nil)
        #expect(try await open(cookie, scene.begin, after: 59 + 62) == nil)
    }

    @Test func `gains nothing by a clock that was ahead`() async throws {
        let scene = try await scene("clock-admin.example")
        #expect(try await open(scene.cookie, scene.begin, after: 50) != nil)
        #expect(try await open(scene.cookie, scene.begin, after: 2) != nil)
        #expect(try await open(scene.cookie, scene.begin, after: 64) == nil)
    }

    @Test func `is not prolonged by whoever writes the database`() async throws {
        let world = try sharedWorld()
        let changes: [(company: String, SQL)] = [
            ("forged-admin.example", "used_at = used_at + interval '1 day'"), ("null-admin.example", "used_at = NULL"),
        ]
        for (company, change) in changes {
            let scene = try await scene(company)
            let session = try #require(try await open(scene.cookie, scene.begin, after: 0)).sessionID
            try await DatabaseWriter(world: world).run(
                "UPDATE tenure.session SET \(change) WHERE session_id = \(session)")
            #expect(try await open(scene.cookie, scene.begin, after: 1) == nil)
        }
    }

    @Test func `with tokens lasts an hour as before`() async throws {
        let scene = try await scene("tokens-admin.example")
        let me = try await sharedWorld().client.get("/v1/me", by: scene.founder.session)
        let end = try #require(me["session"]?["expiresAt"]?.text.flatMap { Timestamp($0) })
        #expect(end <= Timestamp.now().adding(.seconds(3_600)))
    }
}

/// What a stolen token must not do for an hour.
@Suite(.onServer, .sharedWorld)
struct `A log-in within ten minutes` {
    private func caller(_ member: Member) async throws -> IdentityService.Caller {
        let token = AuthenticateSession(accessToken: member.accessToken)
        return .employee(try await sharedWorld().service.run(token, Call(requestId: "recent", time: .now())))
    }

    private func run<Request: UseCase>(_ request: Request, after seconds: Int64) async throws {
        let call = Call(requestId: Person.word(), time: Timestamp.now().adding(.seconds(seconds)))
        _ = try await sharedWorld().service.run(request, call)
    }

    @Test func `is asked for by the whole log, its bundles, the events of others and the policy`() async throws {
        let company = "recent.example", client = try sharedWorld().client
        let founder = try await client.found(company), caller = try await caller(founder)
        let list = PageEntries(company: company, query: EventQuery(PageRequest(limit: 10)), caller: caller)
        let bundle = ReadTile(path: "entries/000.p/1", company: company, caller: caller)
        let hashes = ReadTile(path: "0/000.p/1", company: company, caller: caller)
        let own = PageEntries(
            company: company, query: EventQuery(PageRequest(limit: 10), employee: founder.person.id), caller: caller)
        let bo = try await client.join(Person("bo", at: company))
        let others = ["", "AttemptCharged"].map { type in
            PageEntries(
                company: company,
                query: EventQuery(
                    PageRequest(limit: 10), type: type.isEmpty ? nil : type, employee: bo.person.id),
                caller: caller)
        }
        let policy = ChangePolicy(
            company: company, PolicyChangeRequest(adminSessionHours: 2), ifMatch: nil, caller: caller)
        // The first checkpoint is signed beside the appends.
        try await sharedWorld().until { (try? await run(hashes, after: 0)) != nil }
        for seconds: Int64 in [0, 500] {
            try await run(list, after: seconds)
            for other in others { try await run(other, after: seconds) }
            try await run(policy, after: seconds)
        }
        for seconds: Int64 in [601, 3_000] {
            await #expect(throws: ServiceError(.sessionLoginRequired)) { try await run(list, after: seconds) }
            await #expect(throws: ServiceError(.sessionLoginRequired)) { try await run(policy, after: seconds) }
            await #expect(throws: ServiceError(.sessionLoginRequired)) { try await run(bundle, after: seconds) }
            for other in others {
                await #expect(throws: ServiceError(.sessionLoginRequired)) { try await run(other, after: seconds) }
            }
            try await run(own, after: seconds)
            try await run(hashes, after: seconds)
        }
    }
}
