import Canonical
import Foundation
import Testing

/// `tenure client recover` and `recoveries`: somebody who lost everything, and those who decide, each at a terminal.
@Suite(.onServer, .atTerminal, .sharedWorld) struct `Recovering at a terminal` {
    private static let answers = (1...5).map { "hidden recovered answer \($0) \(Person.word())" }
    private static let passphrase = "hidden recovered passphrase \(Person.word())"

    /// People of one company, each with a device of their own.
    private struct Desk {
        let tenure: TerminalProgram
        let folder: String
        let scene: RecoveryScene

        init(_ company: String, in folder: String) async throws {
            tenure = try TerminalProgram.inSharedWorld()
            self.folder = folder
            scene = try await RecoveryScene(company, try sharedWorld().client)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }

        var company: String { scene.lost.person.company }

        func run(_ device: String, _ arguments: [String], _ steps: [TerminalProgram.Step] = []) async throws
            -> TerminalProgram.Ending
        { try await tenure.run(["client"] + arguments + ["--data-directory", "\(folder)/\(device)"], steps) }

        /// Logs a member in at the terminal, on a device that the founder authorizes.
        func enter(_ person: Person, on device: String) async throws {
            let login = ["login", company, person.id, "--json"]
            let typed: [TerminalProgram.Step] = [.type(after: "Passphrase", person.passphrase ?? "")]
            let pending = try await run(device, login, typed)
            let told = try StrictJSON.parse(Array(pending.output.utf8))
            let fingerprint = try #require(told["fingerprint"]?.text)
            expectOutcome(
                try await scene.client.signed(
                    by: scene.founder, "POST", scene.client.path(person, "/keys/\(fingerprint)/authorization")), "done")
            let entered = try await run(device, login, typed)
            try #require(entered.status == 0 && entered.output.contains("success"), "\(entered.terminal)")
        }

        /// When the device with the fingerprint asked last.
        func askedAt(_ fingerprint: String) async throws -> String {
            let listed = try await scene.client.recoveries(company, by: scene.founder)
            return try #require(listed[fingerprint]?["requestedAt"]?.text)
        }

        /// Asks on the new device, and gives the fingerprint that waits.
        func ask() async throws -> String {
            let asked = try await run("new", ["recover", company, "lost", "--json"])
            #expect(asked.status == 0, "\(asked.terminal)")
            let told = try StrictJSON.parse(Array(asked.output.utf8))
            #expect(told["outcome"]?.text == "recoveryPending")
            return try #require(told["fingerprint"]?.text)
        }
    }

    @Test func `the founder opens, a second admin confirms, and one of them alone achieves nothing`() async throws {
        try await TerminalProgram.inFolder { folder in
            let desk = try await Desk("terminal-recovery.example", in: folder)
            let (company, yes) = (desk.company, TerminalProgram.Step.type(after: "[y/N] ", "y"))
            for member in [desk.scene.founder, desk.scene.admin] {
                try await desk.enter(member.person, on: member.person.id)
            }
            let nobody = try await desk.run("founder", ["recoveries", "open", company, "lost"])
            #expect(nobody.status == 6)
            let fingerprint = try await desk.ask()
            let listed = try await desk.run("founder", ["recoveries", company, "--json"])
            let row = try StrictJSON.parse(Array(listed.output.utf8))
            #expect(row["fingerprint"]?.text == fingerprint && row["state"]?.text == "waiting")
            #expect(row["employee"]?["companyEmployeeId"]?.text == "lost" && row["expiresAt"]?.text != nil)

            let open = ["recoveries", "open", company, "lost"]
            let confirm = ["recoveries", "confirm", company, "lost"]
            let early = try await desk.run("admin", confirm)
            #expect(early.status == 6, "nothing is open")
            let declined = try await desk.run("founder", open, [.type(after: "[y/N] ", "n")])
            #expect(declined.status == 2 && declined.unmet == [])
            #expect(try await desk.run("admin", confirm).status == 6, "what was declined is not open")
            let opened = try await desk.run("founder", open, [yes])
            #expect(opened.status == 0 && opened.terminal.filter { !$0.isWhitespace }.contains(fingerprint))
            #expect(try await desk.ask() == fingerprint, "one person's signature gives nothing")
            #expect(try await desk.run("founder", confirm, []).status == 4, "nobody is two persons")
            #expect(try await desk.ask() == fingerprint)

            let table = try await desk.run("admin", ["recoveries", company])
            #expect(table.output.contains("opened") && table.output.contains("founder"))
            let confirmed = try await desk.run("admin", confirm + ["--json"], [yes])
            let told = try StrictJSON.parse(Array(confirmed.output.utf8))
            #expect(confirmed.terminal.contains("founder has opened it"))
            #expect(told["outcome"]?.text == "confirmed" && told["fingerprint"]?.text == fingerprint)
            #expect(told["position"]?.number != nil)
            try await finish(desk, fingerprint)
        }
    }

    /// Sets new credentials, has the device let in, and logs in.
    private func finish(_ desk: Desk, _ fingerprint: String) async throws {
        let (company, lost) = (desk.company, desk.scene.lost)
        // The account is the last one of that device.
        let set = try await desk.run(
            "new", ["recover", "--json"], TerminalProgram.setUp(answers: Self.answers, passphrase: Self.passphrase))
        set.expectNothingShown(of: Self.answers + [Self.passphrase])
        let outcome = try StrictJSON.parse(Array(set.output.utf8))
        #expect(set.status == 0 && outcome["outcome"]?.text == "authorizationPending")
        #expect(outcome["fingerprint"]?.text == fingerprint && outcome["credentials"]?.text?.count == 64)
        try expectProblem(try await desk.scene.client.logIn(lost.person, lost.device), "passphrase.incorrect")
        let used = try await desk.run("new", ["recover", "--json"])
        #expect(used.output.contains("recoveryPending"), "it is used once")

        let login = ["login", company, "lost", "--json"]
        let typed: [TerminalProgram.Step] = [.type(after: "Passphrase", Self.passphrase)]
        let waits = try await desk.run("new", login, typed)
        #expect(waits.output.contains("authorizationPending"), "a recovery lets nobody in")
        let authorized = try await desk.run(
            "founder", ["authorize", company, "lost", "--as", "founder", "--fingerprint", fingerprint])
        #expect(authorized.status == 0)
        let entered = try await desk.run("new", login, typed)
        #expect(try StrictJSON.parse(Array(entered.output.utf8))["outcome"]?.text == "success")
        entered.expectNothingShown(of: [Self.passphrase])
    }

    @Test func `a waiting device continues after both decisions, and a signal stops it`() async throws {
        try await TerminalProgram.inFolder { folder in
            let desk = try await Desk("terminal-waits-recovery.example", in: folder)
            let fingerprint = try await desk.ask()
            let recover = ["recover", desk.company, "lost", "--wait", "--json"]
            let stopped = try await desk.run("new", recover, [.signal(after: "Ctrl-C", "SIGINT")])
            #expect(stopped.status == 2 && stopped.output.contains(fingerprint))
            let before = try await desk.askedAt(fingerprint)
            async let waiting = desk.run("new", recover, TerminalProgram.setUp(answers: Self.answers, passphrase: nil))
            for _ in 0..<1_200 where try await desk.askedAt(fingerprint) == before {
                try await Task.sleep(for: .milliseconds(50))
            }
            let path = desk.scene.client.path(desk.scene.lost.person, "/recoveries/\(fingerprint)")
            expectOutcome(try await desk.scene.client.signed(by: desk.scene.founder, "POST", path + "/opening"), "done")
            expectOutcome(
                try await desk.scene.client.signed(by: desk.scene.admin, "POST", path + "/confirmation"), "done")
            let ended = try await waiting
            ended.expectNothingShown(of: Self.answers)
            let last = try StrictJSON.parse(Array((ended.output.split(separator: "\n").last ?? "").utf8))
            #expect(ended.status == 0 && last["outcome"]?.text == "authorizationPending")
            #expect(last["position"]?.number != nil, "credentials were set")
            #expect(ended.output.contains("recoveryPending"), "it waited before")
        }
    }

    @Test func `the person's device confirms or cancels by the fingerprint and sees no list`() async throws {
        try await TerminalProgram.inFolder { folder in
            let desk = try await Desk("terminal-own-recovery.example", in: folder)
            let company = desk.company
            try await desk.enter(desk.scene.founder.person, on: "founder")
            try await desk.enter(desk.scene.lost.person, on: "old")
            let fingerprint = try await desk.ask()
            func decide(_ decision: String, on device: String) async throws -> Int64 {
                try await desk.run(device, ["recoveries", decision, company, "lost", "--fingerprint", fingerprint])
                    .status
            }
            #expect(try await desk.run("old", ["recoveries", company]).status == 4)
            #expect(try await desk.run("old", ["recoveries", "confirm", company, "lost"]).status == 4)
            #expect(try await decide("open", on: "old") == 4, "nobody opens their own")
            #expect(try await decide("open", on: "founder") == 0)
            #expect(try await decide("confirm", on: "old") == 0)
            #expect(try await decide("cancel", on: "old") == 0)
            #expect(try await decide("cancel", on: "old") == 6)
            #expect(try await desk.ask() == fingerprint, "what was cancelled gives nothing")
        }
    }

    @Test func `several requesting devices are told apart by their fingerprints`() async throws {
        try await TerminalProgram.inFolder { folder in
            let desk = try await Desk("terminal-several.example", in: folder)
            try await desk.enter(desk.scene.founder.person, on: "founder")
            let fingerprint = try await desk.ask()
            let strange = try await desk.run("stranger", ["recover", desk.company, "lost"])
            #expect(strange.status == 0)
            let open = ["recoveries", "open", desk.company, "lost"]
            let unclear = try await desk.run("founder", open)
            #expect(unclear.status == 1 && unclear.terminal.contains("2 devices"))
            #expect(try await desk.run("founder", open + ["--fingerprint", fingerprint]).status == 0)
            #expect(try await desk.run("founder", ["recoveries", "open", "x.example", "lost"]).status == 64)
            #expect(try await desk.run("founder", open + ["--as", "admin"]).status == 4, "not logged in here")
        }
    }
}
