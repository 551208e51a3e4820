import ArgumentParser
import FoundationEssentials
import IdentityService
import Keys
import Postgres

/// Erases a person.
struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Destroy the keys that open a person's data, here and in every copy.",
        discussion: """
            With --company and --employee: that one account; the same human's accounts elsewhere stay. With --user: the \
            human, with credentials, e-mail and all accounts. The log stays as it is and still verifies; names, \
            addresses and free texts in it can no longer be read. There is no way back.

            Backups open until the version of the master keys that this command names is destroyed: tenure key rotate, \
            then tenure key retire. After a backup was restored: tenure erase --reapply. See docs/erasure.md.

            Needs TENURE_DATABASE_URL, TENURE_READER_DATABASE_URL and TENURE_MASTER_KEY_FILE.
            """)

    @Option(help: "The company's name; with --employee.")
    var company: String?

    @Option(help: "The employee's id in the company.")
    var employee: String?

    @Option(help: "A user's e-mail or id.")
    var user: String?

    @Flag(help: "Only finish erasures that were interrupted.")
    var resume = false

    @Flag(help: "Erase again whoever is on the erase list: after a backup was restored.")
    var reapply = false

    @Option(help: ArgumentHelp("The erase list; beside the master key file by default.", valueName: "file"))
    var list: String?

    @Flag(help: "Also somebody whose company then has no security admin.")
    var includingSecurityAdmin = false

    @Flag(help: "Show who would be erased and change nothing.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "One JSON object for each person.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        let ways = [company != nil || employee != nil, user != nil, resume, reapply].count { $0 }
        guard ways == 1, (company == nil) == (employee == nil) else {
            throw ValidationError("Say --company and --employee, or --user, or --resume, or --reapply.")
        }
    }

    func run() async throws {
        let settings = try await options.settings()
        let list = try eraseList(settings)
        let command = self
        try await EraseSession.run(settings, list: list) { erasure in
            if command.reapply { return try await command.reapply(list, erasure) }
            if !command.dryRun {
                let finished = try await erasure.resume()
                if command.resume || !finished.isEmpty { ErasureReport(finished, "Finished").write(json: command.json) }
            }
            guard !command.resume else { return }
            let plan = try await command.plan(erasure)
            guard !command.dryRun else { return ErasurePlanReport(plan).write(json: command.json) }
            if !command.yes {
                ErasurePlanReport(plan).write(to: .standardError())
                try Confirmation.ask(
                    "Type \(plan.confirmation) to erase: ", expecting: plan.confirmation, .standardError())
            }
            let erased = try await erasure.run(plan, includingSecurityAdmins: command.includingSecurityAdmin)
            ErasureReport(erased, "Erased").write(json: command.json)
        }
    }

    private func plan(_ erasure: Erasure) async throws -> ErasurePlan {
        if let user {
            if let id = UUID(uuidString: user) { return try await erasure.plan(user: id) }
            return try await erasure.plan(email: user)
        }
        return try await erasure.plan(company: company ?? "", employee: employee ?? "")
    }

    private func reapply(_ list: ErasureList, _ erasure: Erasure) async throws {
        let entries = try list.read()
        guard !dryRun else {
            return Output.standardError().line("\(entries.count) people are on \(list.path).")
        }
        if entries.isEmpty { Output.standardError().line("Nobody is on \(list.path).") }
        ErasureReport(try await erasure.reapply(entries), "Erased again").write(json: json)
    }

    private func eraseList(_ settings: Settings) throws -> ErasureList {
        if let list { return ErasureList(path: list) }
        guard let file = settings.text(.masterKeyFile) else {
            throw CommandFailure(
                .usage, "there is no place for the erase list",
                remedy: "Say --list FILE: a file that outlives the database and is not in its backups.")
        }
        return ErasureList(beside: MasterKeyFile(path: file))
    }
}
