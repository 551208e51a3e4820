import Canonical
import ErrorCodes
import Foundation
import IdentityService
import Keys
import Postgres
import TenureAPI
import TenureServer
import TestSupport
import Testing

/// The app that the pages act as, from its making to its end.
@Suite(.onServer)
struct `The app of the pages` {
    /// The refusals of a right passphrase by a decoy, which may ask for answers.
    private static let ofDecoy: Set = ["passphrase.incorrect", "flow.wrong_step"]

    private func call(_ address: String? = nil) -> Call { Call(requestId: Person.word(), sourceAddress: address) }

    private func pages(_ world: TenureWorld) async throws -> AppCaller {
        // A refused request before is remembered for a moment.
        try await world.until { try await world.service.run(ActAsPagesApp(), call()) != nil }
        return try #require(try await world.service.run(ActAsPagesApp(), call()))
    }

    /// A log-in with the passphrase through an app, from an address.
    private func logIn(
        _ person: Person, _ device: Device, _ app: AppCaller, from address: String? = nil, passphrase: String? = nil,
        _ world: TenureWorld
    ) async throws -> FlowOutcomeResponse {
        let service = world.service
        let started = try await service.run(
            StartLogin(
                .login,
                LoginRequest(
                    companyName: person.company, companyEmployeeId: person.id, employeePublicKey: device.point),
                app: app), call(address))
        let proof = try bytes(base64: device.sign(started.challenge))
        _ = try await service.run(ProveKey(proof, purpose: .login, flow: started.flow, app: app), call(address))
        let secret = passphrase ?? person.passphrase ?? ""
        return try await service.run(
            ValidateCredential(.passphrase(secret), purpose: .login, flow: started.flow, app: app), call(address))
    }

    private func code(_ body: () async throws -> FlowOutcomeResponse) async -> String {
        do {
            if case .success = try await body() { return "success" }
            return "another outcome"
        } catch {
            return (error as? ServiceError)?.code.rawValue ?? "\(error)"
        }
    }

    @Test func `logs people in once a company links it, and is nobody to them when it is unlinked`() async throws {
        try await inTurn { world in
            let company = "pages-linked.example", commands = world.instance.commands
            let owner = try await world.client.found(company)
            #expect(try await world.service.run(ActAsPagesApp(), call()) == nil)
            #expect(try await commands.pagesApp() == nil)

            let (view, changed) = try await commands.enablePages()
            #expect(changed && view.isUsable)
            #expect(try await !commands.enablePages().changed)
            let app = try await pages(world)
            #expect(app.appId == view.appId && app.secretId == view.secretId && app.isPagesApp)
            #expect(app.roles == [.access, .creation, .authorization])
            // An unlinked company answers as one that does not exist: a decoy refuses the right passphrase too.
            #expect(Self.ofDecoy.contains(await code { try await logIn(owner.person, owner.device, app, world) }))

            try await commands.linkApp(view.appId, to: company)
            #expect(await code { try await logIn(owner.person, owner.device, app, world) } == "success")
            // Another app stays, so that people can log in.
            try await commands.unlinkApp(view.appId, from: company)
            #expect(Self.ofDecoy.contains(await code { try await logIn(owner.person, owner.device, app, world) }))
            #expect(try await tenure(["verify"], world).status == 0)
        }
    }

    @Test func `gets another secret by a rotation, and its sessions go on`() async throws {
        try await inTurn { world in
            let company = "pages-rotated.example", commands = world.instance.commands, client = try world.client
            let owner = try await client.found(company)
            let first = try await commands.enablePages().view
            try await commands.linkApp(first.appId, to: company)
            let old = try await pages(world)
            guard case .success(let session, _, _) = try await logIn(owner.person, owner.device, old, world) else {
                Issue.record("no session")
                return
            }
            let second = try await commands.rotatePages(atOnce: false)
            #expect(second.appId == first.appId && second.secretId != first.secretId)
            // The service follows at once, although it keeps secrets for a moment.
            #expect(try await pages(world).secretId == second.secretId)
            #expect(try await client.get("/v1/sessions", by: .session(session.accessToken)).status == 200)

            let third = try await commands.rotatePages(atOnce: true)
            let new = try await pages(world)
            #expect(new.secretId == third.secretId)
            // The first secret was retired before; the second one opened no session, and is revoked.
            #expect(try await client.get("/v1/sessions", by: .session(session.accessToken)).status == 200)
            guard case .success(let last, _, _) = try await logIn(owner.person, owner.device, new, world) else {
                Issue.record("no session")
                return
            }
            _ = try await commands.rotatePages(atOnce: true)
            #expect(try await client.get("/v1/sessions", by: .session(last.accessToken)).status == 401)
            #expect(try await tenure(["verify"], world).status == 0)
        }
    }

    @Test func `ends the grants of its sessions when its secret is revoked, not when it is replaced`() async throws {
        try await inTurn { world in
            let company = "pages-grants.example", commands = world.instance.commands
            let owner = try await world.client.found(company)
            try await commands.linkApp(try await commands.enablePages().view.appId, to: company)
            let party = try await RelyingParty.make(world, of: [company])
            func offline() async throws -> GrantTokens {
                let app = try await pages(world)
                guard case .success(let session, _, _) = try await logIn(owner.person, owner.device, app, world) else {
                    throw Flow.Unexpected(description: "no session")
                }
                let cookie = try await world.cookie(of: session.accessToken)
                return try await party.tokens(["scope": "openid offline_access"], cookie: cookie)
            }
            let first = try await offline()
            _ = try await commands.rotatePages(atOnce: false)
            let second = try await offline()
            _ = try await commands.rotatePages(atOnce: true)
            #expect(try await party.userInfo(second.access).status == 401)
            #expect(try await party.refresh(second.refresh)["error"] == "invalid_grant")
            #expect(try await party.userInfo(first.access).status == 200)
            #expect(try await commands.disablePages())
            #expect(try await party.userInfo(first.access).status == 401)
            #expect(try await tenure(["verify"], world).status == 0)
        }
    }

    @Test func `ends with its sessions, and comes back with its links`() async throws {
        try await inTurn { world in
            let company = "pages-disabled.example", commands = world.instance.commands, client = try world.client
            let owner = try await client.found(company)
            await #expect(throws: PagesError.disabled) { try await commands.rotatePages(atOnce: false) }
            #expect(try await !commands.disablePages())
            let first = try await commands.enablePages().view
            try await commands.linkApp(first.appId, to: company)
            let app = try await pages(world)
            guard case .success(let session, _, _) = try await logIn(owner.person, owner.device, app, world) else {
                Issue.record("no session")
                return
            }
            #expect(try await commands.disablePages())
            #expect(try await world.service.run(ActAsPagesApp(), call()) == nil)
            #expect(try await commands.pages() == nil)
            #expect(try await client.get("/v1/sessions", by: .session(session.accessToken)).status == 401)
            #expect(try await !commands.disablePages())

            let again = try await commands.enablePages().view
            #expect(again.appId == first.appId && again.secretId != first.secretId)
            try await world.until { try await world.service.run(ActAsPagesApp(), call()) != nil }
            let new = try await pages(world)
            #expect(await code { try await logIn(owner.person, owner.device, new, world) } == "success")
        }
    }

    @Test func `is disabled for every browser at once, and enabled soon without a restart`() async throws {
        var options = WorldOptions()
        options.servesPages = true
        try await inTurn(options) { world in
            let commands = world.instance.commands, client = try world.client
            func seen() async throws -> [(status: Int, title: String)] {
                let browser = PageClient(client)
                let form = Form(action: "/login", fields: [(name: "company", value: "acme.example")], policy: nil)
                let pages = [try await browser.get("/login"), try await browser.submit(form)]
                return pages.map { ($0.status, $0.title) }
            }
            func expect(disabled: Bool) async throws {
                let found = try await seen()
                #expect(found.allSatisfy { ($0.title == "The log-in pages are disabled") == disabled }, "\(found)")
                #expect(found.allSatisfy { ($0.status == 404) == disabled }, "\(found)")
                let gauge = "\ntenure_pages_enabled \(disabled ? 0 : 1)\n"
                #expect(await world.instance.metrics().contains(gauge))
            }
            try await expect(disabled: true)
            _ = try await commands.enablePages()
            // A process keeps it for two seconds that they were disabled.
            try await world.until { try await seen().allSatisfy { $0.status != 404 } }
            try await expect(disabled: false)
            #expect(try await commands.disablePages())
            try await expect(disabled: true)
            // Readiness is told from a value that is at most a quarter of a second old.
            let end = ContinuousClock.now + .seconds(60)
            var ready = try await client.get("/readyz", by: .nobody)
            while ready["pages"] != "disabled", ContinuousClock.now < end {
                ready = try await client.get("/readyz", by: .nobody)
            }
            #expect(ready.status == 200 && ready["pages"] == "disabled")
            _ = try await commands.enablePages()
            // A process keeps it for two seconds that they were disabled.
            try await world.until { try await seen().allSatisfy { $0.status != 404 } }
            try await expect(disabled: false)
        }
    }

    @Test func `acts with no secret that the log does not name as its own`() async throws {
        try await inTurn { world in
            let commands = world.instance.commands
            let view = try await commands.enablePages().view
            // Nobody gets a secret of it.
            await #expect(throws: ServiceError.self) {
                try await commands.issueSecret(appId: view.appId, roles: [.access])
            }
            await #expect(throws: ServiceError.self) {
                try await commands.addRoles([.administration], toApp: view.appId)
            }
            await #expect(throws: ServiceError.self) {
                try await commands.rotateSecret(appId: view.appId, secretId: view.secretId)
            }
            // An operator's revocation counts, whatever the row says.
            try await commands.revokeSecret(appId: view.appId, secretId: view.secretId)
            #expect(try await world.service.run(ActAsPagesApp(), call()) == nil)
            #expect(try await commands.pages()?.isUsable == false)
            #expect(try await commands.enablePages().changed)
            // A row that somebody wrote who has no keys is none.
            let app = try await pages(world)
            try await world.superuser { connection in
                try await connection.executeScript(
                    "UPDATE tenure.pages_app SET app_id = '\(world.app.appId)', secret_id = gen_random_uuid()")
            }
            try await Task.sleep(for: .milliseconds(2_100))
            #expect(try await world.service.run(ActAsPagesApp(), call()) == nil)
            #expect(try await commands.enablePages().view.appId == app.appId)
        }
    }

    @Test func `is refused to one network that floods it, and to no other`() async throws {
        var options = WorldOptions()
        options.settings.unknownAttempts = RateLimit(perSecond: 0.001, burst: 4)
        try await inTurn(options) { world in
            let company = "pages-flood.example", commands = world.instance.commands
            let owner = try await world.client.found(company)
            let view = try await commands.enablePages().view
            try await commands.linkApp(view.appId, to: company)
            let app = try await pages(world)
            for index in 0..<4 {
                let refused = await code {
                    try await logIn(
                        owner.person, Device(), app, from: "192.0.2.\(index)", passphrase: "wrong passphrase", world)
                }
                #expect(refused == "passphrase.incorrect")
            }
            let limited = await code { try await logIn(owner.person, Device(), app, from: "192.0.2.250", world) }
            #expect(limited == "request.rate_limited")
            let other = await code { try await logIn(owner.person, Device(), app, from: "198.51.100.7", world) }
            #expect(other == "another outcome", "the device waits for an admin, after the right passphrase")
        }
    }

    @Test func `is enabled, linked, rotated and disabled at the command line`() async throws {
        try await inTurn { world in
            let company = "pages-typed.example"
            _ = try await world.client.found(company)
            #expect(try await tenure(["pages", "status"], world).status == 6)
            #expect(try await tenure(["app", "link", company, "--pages"], world).status == 6)
            #expect(try await tenure(["key", "rotate", "--pages"], world).status == 6)
            let enabled = try await tenure(["pages", "enable"], world)
            #expect(enabled.status == 0 && enabled.lines.isEmpty, "\(enabled)")
            #expect(try await tenure(["app", "link", company, "--pages"], world).status == 0)
            let first = try await status(world)
            let app = try #require(first["appId"]?.text)
            #expect(try await tenure(["key", "rotate", "--pages"], world).status == 0)
            let second = try await status(world)
            #expect(second["appId"] == first["appId"] && second["secretId"] != first["secretId"])
            let lines = try await tenure(["app", "list", "--json"], world).lines
            let listed = try lines.map { try StrictJSON.parse(Array($0.utf8)) }
            #expect(listed.filter { $0["pages"] == .bool(true) }.map { $0["appId"]?.text } == [app])
            #expect(try await tenure(["app", "link", company, "--pages", "--remove"], world).status == 0)
            #expect(try await tenure(["pages", "disable", "--yes"], world).status == 0)
            #expect(try await tenure(["pages", "status"], world).status == 6)
            // No output of any command has a secret: there is none to show.
            #expect(try await tenure(["verify"], world).status == 0)
        }
    }

    private func status(_ world: TenureWorld) async throws -> JSONValue {
        let shown = try await tenure(["pages", "status", "--json"], world)
        #expect(shown.status == 0, "\(shown)")
        return try StrictJSON.parse(Array(try #require(shown.lines.first).utf8))
    }

    private func tenure(
        _ arguments: [String], _ world: TenureWorld
    ) async throws -> (status: Int32, lines: [String]) {
        let environment = [
            "TENURE_DATABASE_URL": world.database.url(as: .application),
            "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
            "TENURE_MASTER_KEY_FILE": world.keyFile.path, "TENURE_OPERATOR_KEY_FILE": world.operatorKeyFile,
            "SWIFT_BACKTRACE": "enable=no",
        ]
        return try await ChildProcess("tenure", arguments, environment: environment).finish()
    }
}
