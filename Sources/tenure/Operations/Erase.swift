import ArgumentParser
import Canonical
import FoundationEssentials
import IdentityService
import Keys
import Ledger
import Postgres

/// Erases a person by destroying keys (crypto-shredding).
struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase a person by destroying the keys of their data, here and in every copy.",
        discussion: """
            --company and --employee erase one account; the person's accounts in other companies stay. --user erases \
            the person with credentials, e-mail and all accounts. Both erase the M-Pin identities that are linked to the \
            accounts. --company and --mpin erase M-Pin identities and activation codes that no account has: all of a \
            user id, or one by its id. The log is not modified and still verifies, but \
            names, addresses and free texts in it can no longer be read. An erasure cannot be undone.

            Backups stay readable until the version of the master keys that this command names is destroyed: run \
            tenure key rotate, then tenure key retire. After restoring a backup, run tenure erase --reapply. See \
            docs/erasure.md.

            Needs TENURE_DATABASE_URL, TENURE_READER_DATABASE_URL, TENURE_MASTER_KEY_FILE and TENURE_OPERATOR_KEY_FILE.

            Examples:
              tenure erase --company harbour.example --employee bruno --dry-run
              tenure erase --user bruno@harbour.example
            """)

    @Option(help: "The company's name; with --employee or --mpin.")
    var company: String?

    @Option(help: "The employee's id in the company.")
    var employee: String?

    @Option(help: "A user id of M-Pin in the company, or an M-Pin identity's id.")
    var mpin: String?

    @Option(help: "A user's e-mail or id.")
    var user: String?

    @Flag(help: "Only complete interrupted erasures.")
    var resume = false

    @Flag(help: "Erase everyone on the erase list again, after a backup was restored.")
    var reapply = false

    @Option(help: ArgumentHelp("The erase list. Default: a file beside the master key file.", valueName: "file"))
    var list: String?

    @Flag(help: "Permit the erasure of a security admin, which leaves the company without one.")
    var includingSecurityAdmin = false

    @Flag(help: "Show who would be erased and change nothing.")
    var dryRun = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Print one JSON object per person.")
    var json = false

    @OptionGroup var options: OperatorKeyOptions

    func validate() throws {
        let ways = [employee != nil, mpin != nil, user != nil, resume, reapply].count { $0 }
        guard ways == 1, (company != nil) == (employee != nil || mpin != nil) else {
            throw ValidationError(
                "Pass --company and --employee or --mpin, or --user, or --resume, or --reapply.")
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
                if command.resume || !finished.isEmpty {
                    try ErasureReport(finished, "Finished").write(json: command.json)
                }
            }
            guard !command.resume else { return }
            let plan = try await command.plan(erasure)
            guard !command.dryRun else { return try ErasurePlanReport(plan).write(json: command.json) }
            if !command.yes {
                let words = Output.standardError()
                words.write(ErasurePlanReport(plan).text(on: words.terminal))
                try Confirmation.ask(
                    "Type \(plan.confirmation) to erase: ", expecting: plan.confirmation, .standardError())
            }
            let erased = try await erasure.run(plan, includingSecurityAdmins: command.includingSecurityAdmin)
            try ErasureReport(erased, "Erased").write(json: command.json)
        }
    }

    private func plan(_ erasure: Erasure) async throws -> ErasurePlan {
        if let user {
            if let id = UUID(entered: user) { return try await erasure.plan(user: id) }
            return try await erasure.plan(email: user)
        }
        if let mpin { return try await erasure.plan(company: company ?? "", mpin: mpin) }
        return try await erasure.plan(company: company ?? "", employee: employee ?? "")
    }

    private func reapply(_ list: ErasureList, _ erasure: Erasure) async throws {
        let entries = try list.read()
        guard !dryRun else {
            return Output.standardError().line("\(Noun.person.counted(entries.count, "is", "are")) on \(list.path).")
        }
        if entries.isEmpty { Output.standardError().line("Nobody is on \(list.path).") }
        try ErasureReport(try await erasure.reapply(entries), "Erased again").write(json: json)
    }

    private func eraseList(_ settings: Settings) throws -> ErasureList {
        if let list { return ErasureList(path: list) }
        guard let file = settings.text(.masterKeyFile) else {
            throw CommandFailure(
                .usage, "no file is set for the erase list",
                remedy: "Pass --list FILE. The file must outlive the database and stay out of its backups.")
        }
        return ErasureList(beside: MasterKeyFile(path: file))
    }
}

/// Reports who was erased, and what must be destroyed to complete the erasure.
struct ErasureReport {
    private let erased: [Erasure.Erased]
    private let verb: String

    init(_ erased: [Erasure.Erased], _ verb: String) {
        self.erased = erased
        self.verb = verb
    }

    func write(json: Bool) throws {
        let output = Output.standardOutput()
        if json {
            for one in erased { try output.write(JSONLines.line(Self.json(one))) }
        } else if !erased.isEmpty {
            try output.write(table.rendered(on: output.terminal))
        }
        let words = Output.standardError()
        words.line("\(verb): \(erased.count).")
        guard let version = erased.compactMap(\.masterVersion).max() else { return }
        words.line("Complete once version \(version) of the master keys, and all before it, are destroyed:")
        words.line("  tenure key rotate, make a new backup, then tenure key retire \(version)")
    }

    private var table: Table {
        var table = Table([
            .init(title: "Kind"), .init(title: "Id"), .init(title: "Ledger"),
            .init(title: "Master version", alignment: .right),
        ])
        for one in erased {
            table.add([
                one.kind.rawValue, one.id.lowercased, one.ledger.lowercased,
                one.masterVersion.map { "\($0)" } ?? "none",
            ])
        }
        return table
    }

    private static func json(_ one: Erasure.Erased) -> JSONValue {
        .objectOmittingNil([
            "kind": .string(one.kind.rawValue), "id": .uuid(one.id), "ledger": .uuid(one.ledger),
            "masterVersion": one.masterVersion.map { .integer(Int64($0)) },
        ])
    }
}

/// Reports who would be erased.
struct ErasurePlanReport {
    private let plan: ErasurePlan

    init(_ plan: ErasurePlan) { self.plan = plan }

    func write(json: Bool) throws {
        let output = Output.standardOutput()
        guard json else { return try output.write(text(on: output.terminal)) }
        for person in plan.people { try output.write(JSONLines.line(Self.json(person))) }
    }

    func text(on terminal: Terminal) -> String {
        var table = Table([
            .init(title: "Kind"), .init(title: "Name"), .init(title: "Company"), .init(title: "Id"), .init(title: ""),
        ])
        for person in plan.people {
            let notes = [person.isErased ? "erased" : nil, person.isSecurityAdmin ? "security admin" : nil]
            table.add([
                person.kind.rawValue, person.name ?? "", person.company ?? "", person.id.lowercased,
                notes.compactMap(\.self).joined(separator: ", "),
            ])
        }
        return table.rendered(on: terminal)
    }

    private static func json(_ person: ErasurePlan.Person) -> JSONValue {
        .objectOmittingNil([
            "kind": .string(person.kind.rawValue), "id": .uuid(person.id), "ledger": .uuid(person.ledger),
            "name": person.name.map(JSONValue.string), "company": person.company.map(JSONValue.string),
            "isSecurityAdmin": .bool(person.isSecurityAdmin), "isErased": .bool(person.isErased),
        ])
    }
}

/// The resources of `tenure erase`, running for the duration of the command.
enum EraseSession {
    static func run<Result: Sendable>(
        _ settings: Settings, list: ErasureList, _ body: @Sendable @escaping (Erasure) async throws -> Result
    ) async throws -> Result {
        try await OperatorSession.withContext(settings) { context, masters in
            try await KeySession.reading(settings) { reader in
                try await body(
                    Erasure(
                        context, reader: reader, masters: masters, list: list, signer: settings.operatorSigner))
            }
        }
    }
}
