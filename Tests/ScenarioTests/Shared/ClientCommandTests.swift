import Canonical
import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs only where somebody can type; it is said loudly when nobody can.
    static var atTerminal: Self {
        .enabled(if: TerminalProgram.python != nil, "python3 is missing: tenure client was NOT tried at a terminal")
    }
}

/// `tenure client`, tried by somebody at a terminal against the service.
@Suite(.onServer, .atTerminal, .sharedWorld)
struct `The client's commands` {
    private static let answers = (1...5).map { "hidden answer \($0) \(Person.word())" }
    private static let newAnswers = (1...5).map { "hidden newer answer \($0) \(Person.word())" }
    private static let passphrase = "hidden passphrase \(Person.word())"

    private func program(_ change: [String: String] = [:]) throws -> TerminalProgram {
        try TerminalProgram.inSharedWorld(change)
    }

    private func inFolder(_ work: (String) async throws -> Void) async throws {
        try await TerminalProgram.inFolder(work)
    }

    /// What a new user types; the passphrase only if there is one.
    private static func setUp(passphrase: String?, answers: [String] = answers) -> [TerminalProgram.Step] {
        TerminalProgram.setUp(answers: answers, passphrase: passphrase)
    }

    private func expectNothingShown(_ ending: TerminalProgram.Ending, sourceLocation: SourceLocation = #_sourceLocation)
    {
        ending.expectNothingShown(
            of: Self.answers + Self.newAnswers + [Self.passphrase], sourceLocation: sourceLocation)
    }

    @Test func `register, compare fingerprints, authorize, log in and show the account`() async throws {
        try await inFolder { folder in
            let (tenure, data) = (try program(), ["--data-directory", folder, "--json"])
            let company = "terminal.example"
            let founded = try await tenure.run(
                ["client", "register", company, "ada", "ada@terminal.example"] + data,
                Self.setUp(passphrase: Self.passphrase))
            expectNothingShown(founded)
            #expect(founded.status == 0)
            let founder = try StrictJSON.parse(Array(founded.output.utf8))
            #expect(founder["outcome"]?.text == "success")
            #expect(founder["role"]?.text == "securityAdmin")

            let waiting = try await tenure.run(
                ["client", "register", company, "bo", "bo@terminal.example"] + data, Self.setUp(passphrase: nil))
            expectNothingShown(waiting)
            let pending = try StrictJSON.parse(Array(waiting.output.utf8))
            #expect(pending["outcome"]?.text == "authorizationPending")
            let fingerprint = try #require(pending["fingerprint"]?.text)

            let declined = try await tenure.run(
                ["client", "authorize", company, "bo", "--as", "ada"] + data, [.type(after: "[y/N] ", "n")])
            #expect(declined.status == 2)
            let strange = try await tenure.run(
                ["client", "authorize", company, "bo", "--fingerprint", String(repeating: "0", count: 64)] + data, [])
            #expect(strange.status == 6)
            let authorized = try await tenure.run(
                ["client", "authorize", company, "bo", "--as", "ada"] + data, [.type(after: "[y/N] ", "y")])
            #expect(authorized.status == 0)
            #expect(
                authorized.terminal.filter { !$0.isWhitespace }.contains(fingerprint), "the fingerprint is shown")

            let entered = try await tenure.run(
                ["client", "login", company, "bo"] + data,
                TerminalProgram.replies([
                    " HIDDEN " + Self.answers[0].dropFirst(7), Self.answers[1], "", "", Self.answers[4],
                ]))
            expectNothingShown(entered)
            #expect(entered.status == 0)
            let who = try await tenure.run(["client", "whoami"] + data, [])
            #expect(who.status == 0)
            let seen = try StrictJSON.parse(Array(who.output.utf8))
            #expect(seen["companyEmployeeId"]?.text == "bo")
            #expect(seen["fingerprint"]?.text == fingerprint)
            #expect(seen["keyState"]?.text == "authorized")

            let listed = try await tenure.run(["client", "devices"] + data, [])
            let own = try StrictJSON.parse(Array(listed.output.utf8))
            #expect(own["fingerprint"]?.text == fingerprint && own["state"]?.text == "authorized")
            #expect(own["authorizedBy"]?["companyEmployeeId"]?.text == "ada" && own["isCurrent"] == .bool(true))
            let kept = try await tenure.run(
                ["client", "devices", company, "ada"] + data + ["--revoke", fingerprint], [])
            #expect(kept.status != 0, "another's device")
            let revoked = try await tenure.run(["client", "devices", "--revoke", fingerprint] + data, [])
            #expect(revoked.status == 0)
            #expect(try StrictJSON.parse(Array(revoked.output.utf8))["outcome"]?.text == "revoked")
            #expect(try await tenure.run(["client", "devices"] + data, []).status == 4, "nobody is logged in")
        }
    }

    @Test func `an answer in another encoding is asked for again, and so is another one of the same length`()
        async throws
    {
        try await inFolder { folder in
            let (tenure, data) = (try program(), ["--data-directory", folder, "--json"])
            let answers = (1...5).map { "\(Person.word()) чайник \($0)" }
            let founded = try await tenure.run(
                ["client", "register", "encoding.example", "ada", "ada@encoding.example"] + data,
                Self.setUp(passphrase: nil, answers: answers))
            #expect(founded.status == 0, "\(founded)")
            for word in [answers[0], answers[0].replacing("чайник", with: "жжжжжж")] {
                let refused = try await tenure.run(
                    ["client", "login", "encoding.example", "ada"] + data,
                    [.type(after: TerminalProgram.endings[0], word, encoding: "koi8-r")]
                        + TerminalProgram.replies([answers[0], answers[1], "", "", answers[4]]))
                #expect(refused.status == 0 && refused.echo, "\(refused)")
                #expect(refused.terminal.contains("bytes that are not UTF-8"), "\(refused)")
            }
            let register = ["client", "register", "encoding.example", "bo", "bo@encoding.example"] + data
            let setUp = try await tenure.run(
                register,
                [.type(after: "Question 1", ""), .type(after: "Answer: ", "чайник и сахар", encoding: "koi8-r")]
                    + Self.setUp(passphrase: nil, answers: answers))
            #expect(setUp.unmet.isEmpty && setUp.terminal.contains("bytes that are not UTF-8"), "\(setUp)")
        }
    }

    @Test func `change the questions, and remove and set the passphrase`() async throws {
        try await inFolder { folder in
            let (tenure, data) = (try program(), ["--data-directory", folder, "--json"])
            let company = "terminal-change.example"
            let change = ["client", "change-credentials"] + data
            #expect(try await tenure.run(change, []).status == 4, "no account was used on this device yet")
            let login = ["client", "login", company, "ada"] + data
            let founded = try await tenure.run(
                ["client", "register", company, "ada", "ada@\(company)"] + data,
                Self.setUp(passphrase: Self.passphrase))
            #expect(founded.status == 0)

            let stopped = try await tenure.run(
                change, [.type(after: "Passphrase", Self.passphrase), .signal(after: "Question 1", "SIGINT")])
            #expect(stopped.status == 2)
            expectNothingShown(stopped)
            let removed = try await tenure.run(
                change,
                [.type(after: "Passphrase", "wrong \(Self.passphrase)"), .type(after: "Passphrase", Self.passphrase)]
                    + Self.setUp(passphrase: nil, answers: Self.newAnswers))
            expectNothingShown(removed)
            #expect(removed.status == 0)
            #expect(try StrictJSON.parse(Array(removed.output.utf8))["companyEmployeeId"]?.text == "ada")
            let old = try await tenure.run(
                login, TerminalProgram.replies(Self.answers) + [.end(after: TerminalProgram.endings[0])])
            #expect(old.status == 2 && old.terminal.contains("Try again"), "the old answers open nothing")
            let entered = try await tenure.run(login, TerminalProgram.replies(Self.newAnswers))
            expectNothingShown(entered)
            #expect(entered.status == 0)

            let set = try await tenure.run(
                ["client", "change-credentials", company, "ada", "--data-directory", folder],
                TerminalProgram.replies(Self.newAnswers) + Self.setUp(passphrase: Self.passphrase))
            expectNothingShown(set)
            #expect(set.terminal.contains("Your credentials are changed") && set.output.contains("securityAdmin"))
            #expect(set.status == 0)
            #expect(try await tenure.run(["client", "whoami"] + data, []).status == 0, "the new session")
            #expect(try await tenure.run(login, [.type(after: "Passphrase", Self.passphrase)]).status == 0)
        }
    }

    @Test func `ask on another device about changed credentials and show what to compare`() async throws {
        try await inFolder { folder in
            let tenure = try program(), elsewhere = folder + "-elsewhere", company = "terminal-pinned.example"
            let founded = try await tenure.run(
                ["client", "register", company, "ada", "ada@\(company)", "--data-directory", folder],
                Self.setUp(passphrase: Self.passphrase))
            #expect(founded.status == 0)
            // The person's other device: here a copy, so that it need not be authorized first.
            try FileManager.default.copyItem(atPath: folder, toPath: elsewhere)
            let changed = try await tenure.run(
                ["client", "change-credentials", "--json", "--data-directory", folder],
                [.type(after: "Passphrase", Self.passphrase)] + Self.setUp(passphrase: nil, answers: Self.newAnswers))
            let told = try StrictJSON.parse(Array(changed.output.utf8))["credentials"]?.text
            let fingerprint = try #require(told)
            let who = try await tenure.run(["client", "whoami", "--json", "--data-directory", folder], [])
            #expect(try StrictJSON.parse(Array(who.output.utf8))["credentials"]?.text == fingerprint)

            let login = ["client", "login", company, "ada", "--data-directory", elsewhere]
            for answer in ["", "n"] {
                let declined = try await tenure.run(login, [.type(after: "Did you change them? [y/N] ", answer)])
                #expect(declined.status == 4)
                expectNothingShown(declined)
                #expect(declined.terminal.filter { !$0.isWhitespace }.contains(fingerprint))
            }
            let accepted = try await tenure.run(
                login, [.type(after: "Did you change them? [y/N] ", "y")] + TerminalProgram.replies(Self.newAnswers))
            #expect(accepted.status == 0)
            expectNothingShown(accepted)
            let again = try await tenure.run(login, TerminalProgram.replies(Self.newAnswers))
            #expect(again.status == 0 && !again.terminal.contains("Did you change them?"))
        }
    }

    @Test func `refuse to change credentials from an unauthorized device`() async throws {
        try await inFolder { folder in
            let (tenure, data) = (try program(), ["--data-directory", folder])
            for name in ["ada", "bo"] {
                let registered = try await tenure.run(
                    ["client", "register", "terminal-waits.example", name, "\(name)@terminal-waits.example"] + data,
                    Self.setUp(passphrase: nil))
                #expect(registered.status == 0)
            }
            let refused = try await tenure.run(
                ["client", "change-credentials"] + data,
                TerminalProgram.replies(Self.answers))
            #expect(refused.status == 4 && refused.terminal.contains("authorization.not_permitted"))
            expectNothingShown(refused)
        }
    }

    @Test func `restore the terminal after a signal, the end of input or a wrong passphrase`()
        async throws
    {
        try await inFolder { folder in
            let (tenure, data) = (try program(), ["--data-directory", folder])
            _ = try await tenure.run(
                ["client", "register", "signals.example", "ada", "ada@signals.example"] + data,
                Self.setUp(passphrase: Self.passphrase))
            let login = ["client", "login", "signals.example", "ada"] + data
            for (signal, status) in [("SIGINT", 2), ("SIGTERM", 2), ("SIGHUP", -1), ("SIGQUIT", -3)] {
                let ended = try await tenure.run(login, [.signal(after: "Passphrase", signal)])
                #expect(ended.status == Int64(status), "\(signal)")
                expectNothingShown(ended)
            }
            let left = try await tenure.run(login, [.end(after: "Passphrase")])
            #expect(left.status == 2)
            expectNothingShown(left)
            let wrong = try await tenure.run(
                login, (0..<3).map { .type(after: "Passphrase", "wrong \($0) \(Self.passphrase)") })
            #expect(wrong.status == 4)
            expectNothingShown(wrong)
        }
    }

    @Test func `exit with a code for each kind of failure`() async throws {
        try await inFolder { folder in
            let data = ["--data-directory", folder]
            let nobody = try await program().run(["client", "whoami"] + data, [])
            #expect(nobody.status == 4)
            let unreachable = try await program(["TENURE_URL": "http://127.0.0.1:9"]).run(
                ["client", "login", "a.example", "ada"] + data, [])
            #expect(unreachable.status == 69)
            let inTheClear = try await program(["TENURE_URL": "http://id.example"]).run(
                ["client", "login", "a.example", "ada"] + data, [])
            #expect(inTheClear.status == 64)
            let unset = try await program(["TENURE_APP_SECRET": ""]).run(["client", "whoami"] + data, [])
            #expect(unset.status == 64)
            let refused = try await program(["TENURE_APP_SECRET": "wrong"]).run(
                ["client", "login", "a.example", "ada"] + data, [])
            #expect(refused.status == 4)
        }
    }
}
