import Canonical
import Foundation
import Keys
import Ledger
import TestSupport
import Testing

/// `tenure verify --chain`, of the database and of a bundle without one.
@Suite(.onServer)
struct `The chain at the command line` {
    private func tenure(
        _ arguments: [String], _ world: TenureWorld, withDatabase: Bool = true
    ) async throws -> (status: Int32, lines: [String]) {
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        if withDatabase {
            environment["TENURE_READER_DATABASE_URL"] = world.database.url(as: .reader)
            environment["TENURE_MASTER_KEY_FILE"] = world.keyFile.path
        }
        return try await ChildProcess("tenure", arguments, environment: environment).finish()
    }

    /// Waits until what happened up to a position is sealed.
    private func seal(_ company: String, upTo position: Int64, _ client: Client) async throws {
        for _ in 0..<1_200 {
            let reply = try await client.get(client.path(company, "/checkpoint"))
            if reply.status == 200,
                let signed = try? SignedCheckpoint(parsing: String(decoding: reply.body, as: UTF8.self)),
                signed.checkpoint.size >= position
            {
                return
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("nothing was sealed")
    }

    @Test
    func `compares an anchor with a full bundle and with a tenant's part of the system ledger`()
        async throws
    {
        try await inTurn { world in
            let founder = try await world.client.found("anchored.example")
            try await seal(founder.person.company, upTo: 1, try world.client)
            let files = try TemporaryFiles()
            defer { files.remove() }
            let anchor = files.path("anchor")
            for (name, selection) in [
                ("all", []), ("one", ["--company", "anchored.example"]),
            ] as [(String, [String])] {
                let (bundle, kept) = try await exportAtRest(files.path(name), selection, world)
                try Data(kept.text.utf8).write(to: URL(fileURLWithPath: anchor))
                let verified = try await tenure(
                    ["verify", "--bundle", bundle, "--anchor", anchor, "--json"], world, withDatabase: false)
                #expect(verified.status == 0, "\(verified)")
                let summary = try StrictJSON.parse(Array((verified.lines.last ?? "").utf8))
                #expect(summary["anchored"] == .bool(true))
                #expect(["same", "ahead"].contains(summary["anchor"]?["log"]?.text), "\(verified)")
            }
            try await expectSaid(of: try Anchor(parsing: try String(contentsOfFile: anchor, encoding: .utf8)), world)
        }
    }

    /// Exports a bundle while the system ledger does not grow, and returns its path with the anchor of that moment.
    ///
    /// A part of the system ledger can only be compared with an anchor of the same size or a later one. Sealing a company
    /// adds entries to the system ledger, so the export is repeated until the anchor is the same before and after.
    private func exportAtRest(
        _ path: String, _ selection: [String], _ world: TenureWorld
    ) async throws -> (bundle: String, anchor: Anchor) {
        for attempt in 0..<50 {
            let bundle = "\(path)-\(attempt)"
            let before = try await anchor(world)
            #expect(try await tenure(["replay", "--export", bundle] + selection, world).status == 0)
            let after = try await anchor(world)
            if before.checkpoint.checkpoint.size == after.checkpoint.checkpoint.size { return (bundle, after) }
        }
        throw Unsettled()
    }

    private func anchor(_ world: TenureWorld) async throws -> Anchor {
        try Anchor(parsing: String(decoding: try await world.client.get("/anchor").body, as: UTF8.self))
    }

    private struct Unsettled: Error {}

    /// Expects `tenure verify --anchor` on the database to say what it compared, to a person and to a program.
    private func expectSaid(of anchor: Anchor, _ world: TenureWorld) async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        let file = files.path("anchor")
        try Data(anchor.text.utf8).write(to: URL(fileURLWithPath: file))
        let checkpoint = anchor.checkpoint.checkpoint
        let root = Base64.encode(checkpoint.root)
        let told = try await tenure(["verify", "--anchor", file, "--json"], world)
        let summary = try StrictJSON.parse(Array((told.lines.last ?? "").utf8))
        #expect(told.status == 0 && summary["anchored"] == .bool(true), "\(told)")
        #expect(summary["anchor"]?["size"] == .integer(checkpoint.size))
        #expect(summary["anchor"]?["root"] == .string(root))
        #expect(["same", "ahead"].contains(summary["anchor"]?["log"]?.text), "\(told)")
        let process = try ChildProcess(
            "tenure", ["verify", "--anchor", file],
            environment: [
                "SWIFT_BACKTRACE": "enable=no", "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
            ], keepsErrors: true)
        let lines = await process.finish().lines
        let words = "the anchor (\(checkpoint.size) entries, root \(root)) signed"
        #expect(lines.contains { $0.contains(words) }, "\(lines)")
    }

    @Test func `is printed with exit code 0, and exits with 3 if it is broken and 6 without the key`()
        async throws
    {
        try await inTurn { world in
            let client = try world.client
            let company = "links.example"
            let founder = try await client.found(company)
            let person = Person("second", at: company)
            let device = Device()
            expectOutcome(try await client.register(person, device), "authorizationPending")
            let done = try await client.signed(
                by: founder, "POST", client.path(person, "/keys/\(device.fingerprint)/authorization"))
            expectOutcome(done, "done")
            try await seal(company, upTo: try #require(done["position"]?.number), client)

            let files = try TemporaryFiles()
            defer { files.remove() }
            let bundle = files.path("bundle")
            #expect(try await tenure(["replay", "--company", company, "--export", bundle], world).status == 0)
            let key = try #require(try await tenure(["anchor", "--key-only"], world).lines.first)

            let root = founder.device.fingerprint
            let ofDatabase = ["verify", "--company", company], ofBundle = ["verify", "--bundle", bundle, "--key", key]
            for (arguments, withDatabase) in [(ofDatabase, true), (ofBundle, false)] {
                func run(_ more: String...) async throws -> (status: Int32, lines: [String]) {
                    try await tenure(arguments + more, world, withDatabase: withDatabase)
                }
                let right = try await run("--chain", device.fingerprint, "--founder", root, "--json")
                #expect(right.status == 0, "\(right)")
                let links = try right.lines.dropLast().map { try StrictJSON.parse(Array($0.utf8)) }
                    .filter { $0["kind"]?.text != "note" }
                #expect(links.map { $0["fingerprint"]?.text } == [device.fingerprint, root])
                #expect(links.map { $0["grantor"]?.text } == ["employee", "founding"])
                #expect(try await run("--chain", device.fingerprint).lines.joined().contains("founding: the root"))
                #expect(try await run("--founder", device.fingerprint).status == 3)
                #expect(try await run("--chain", Device().fingerprint).status == 6)
                #expect(try await run("--chain", device.fingerprint, "--no-signatures").status == 64)
            }
            #expect(try await tenure(["verify", "--chain", root], world).status == 64)

            // The founder's signature under the key of somebody else.
            let position = try await world.forge("EmployeeKeyAuthorized", of: company) { data in
                [(data["by"]?["key"]?.text, Base64URL.encode(device.point))]
            }
            let broken = try await tenure(ofDatabase + ["--chain", device.fingerprint, "--json"], world)
            #expect(broken.status == 3)
            #expect(
                broken.lines.contains {
                    $0.contains(#""kind":"signature""#) && $0.contains(#""position":\#(position)"#)
                },
                "\(broken.lines)")
        }
    }
}
