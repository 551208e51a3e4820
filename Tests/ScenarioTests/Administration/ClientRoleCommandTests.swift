import Canonical
import Foundation
import Testing

/// `tenure client role`: a company gets a second admin, and another security admin, by terminals alone.
@Suite(.onServer, .atTerminal, .sharedWorld) struct `Roles at a terminal` {
    /// People of one company, each with a device of their own.
    private struct Desk {
        let tenure: TerminalProgram
        let folder: String
        let company: String

        init(_ company: String, in folder: String) throws {
            tenure = try TerminalProgram.inSharedWorld()
            (self.folder, self.company) = (folder, company)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }

        func run(_ device: String, _ arguments: [String], _ steps: [TerminalProgram.Step] = []) async throws
            -> TerminalProgram.Ending
        { try await tenure.run(["client"] + arguments + ["--data-directory", "\(folder)/\(device)"], steps) }

        private func secret(_ name: String) -> String { "hidden passphrase of \(name)" }

        /// Registers somebody; the fingerprint of their device.
        func register(_ name: String) async throws -> String {
            let answers = (1...5).map { "hidden answer \($0) of \(name)" }
            let ended = try await run(
                name, ["register", company, name, "\(name)-\(Person.word())@mail.example", "--json"],
                TerminalProgram.setUp(answers: answers, passphrase: secret(name)))
            let told = try StrictJSON.parse(Array(ended.output.utf8))
            try #require(ended.status == 0, "\(ended.terminal)")
            return try #require(told["fingerprint"]?.text)
        }

        /// Registers somebody whom an admin lets in by a signature, and logs them in; the fingerprint of their device.
        func join(_ name: String, by admin: String) async throws -> String {
            let fingerprint = try await register(name)
            let authorized = try await run(
                admin, ["authorize", company, name, "--as", admin, "--fingerprint", fingerprint])
            try #require(authorized.status == 0, "\(authorized.terminal)")
            let entered = try await run(
                name, ["login", company, name, "--json"], [.type(after: "Passphrase", secret(name))])
            try #require(entered.status == 0 && entered.output.contains("success"), "\(entered.terminal)")
            return fingerprint
        }

        func role(_ device: String, _ arguments: [String], _ steps: [TerminalProgram.Step] = []) async throws
            -> TerminalProgram.Ending
        { try await run(device, ["role", company] + arguments, steps) }
    }

    private let yes = TerminalProgram.Step.type(after: "[y/N] ", "y")
    private let no = TerminalProgram.Step.type(after: "[y/N] ", "n")

    @Test func `the founder appoints a second admin, who authorizes a device but cannot give a role`() async throws {
        try await TerminalProgram.inFolder { folder in
            let desk = try Desk("terminal-roles.example", in: folder)
            _ = try await desk.register("ada")
            _ = try await desk.join("bo", by: "ada")
            #expect(try await desk.role("bo", ["bo", "admin", "--yes"]).status == 4)
            let declined = try await desk.role("ada", ["bo", "admin"], [no])
            #expect(declined.status == 2 && declined.unmet == [] && declined.terminal.contains("bo becomes an admin"))
            #expect(try await desk.role("bo", ["bo", "admin", "--yes"]).status == 4, "what was declined is not so")
            let appointed = try await desk.role("ada", ["bo", "admin", "--json"], [yes])
            let told = try StrictJSON.parse(Array(appointed.output.utf8))
            #expect(appointed.status == 0 && told["outcome"]?.text == "appointed")
            #expect(told["companyEmployeeId"]?.text == "bo" && told["position"]?.number != nil)
            let again = try await desk.role("ada", ["bo", "admin", "--json"])
            #expect(again.status == 0 && !again.terminal.contains("[y/N]"), "nobody is asked about what is so")
            #expect(try StrictJSON.parse(Array(again.output.utf8))["position"] == nil)

            _ = try await desk.join("cy", by: "bo")
            #expect(try await desk.role("bo", ["cy", "admin", "--yes"]).status == 4, "the security admin gives roles")
            #expect(try await desk.role("ada", ["cy", "admin", "--yes"]).status == 0)
            #expect(try await desk.role("cy", ["bo", "employee", "--yes"]).status == 4)
            let dismissed = try await desk.role("ada", ["bo", "employee"], [yes])
            #expect(dismissed.status == 0 && dismissed.terminal.contains("bo is no admin."))
            #expect(try await desk.role("bo", ["cy", "employee", "--yes"]).status == 4)
            #expect(try await desk.role("ada", ["nobody", "admin", "--yes"]).status == 6)
            #expect(try await desk.role("ada", ["bo", "king"]).status == 64)
            #expect(try await desk.role("ada", ["bo", "admin", "--as", "bo"]).status == 4, "not logged in here")
            for admin in ["ada", "cy"] {
                let kept = try await desk.role(admin, ["ada", "employee"])
                #expect(kept.status == 4 && !kept.terminal.contains("[y/N]"), "nobody is asked for nothing")
                #expect(kept.terminal.contains("authorization.not_permitted"))
                #expect(kept.terminal.contains("security admin cannot be dismissed"))
            }
        }
    }

    @Test func `the security admin names a successor by device fingerprint and loses the role`()
        async throws
    {
        try await TerminalProgram.inFolder { folder in
            let desk = try Desk("terminal-succession.example", in: folder)
            let own = try await desk.register("ada")
            let fingerprint = try await desk.join("bo", by: "ada")
            #expect(try await desk.role("ada", ["bo", "security-admin", "--yes"]).status == 64)
            #expect(try await desk.role("ada", ["bo", "admin", "--fingerprint", fingerprint]).status == 64)
            let strange = try await desk.role("ada", ["bo", "security-admin", "--fingerprint", own])
            #expect(strange.status == 4 && strange.terminal.contains("nothing was signed"))
            let declined = try await desk.role("ada", ["bo", "security-admin"], [no])
            #expect(declined.status == 2 && declined.terminal.filter { !$0.isWhitespace }.contains(fingerprint))
            let followed = try await desk.role("ada", ["bo", "security-admin", "--json"], [yes])
            let told = try StrictJSON.parse(Array(followed.output.utf8))
            #expect(followed.status == 0 && told["outcome"]?.text == "succeeded" && told["position"]?.number != nil)
            #expect(try await desk.role("ada", ["ada", "admin", "--yes"]).status == 4)
            #expect(try await desk.role("bo", ["ada", "admin", "--yes"]).status == 0)
            let back = try await desk.role("bo", ["ada", "security-admin", "--fingerprint", own])
            #expect(back.status == 0 && back.terminal.contains("ada is the security admin."))
        }
    }
}
