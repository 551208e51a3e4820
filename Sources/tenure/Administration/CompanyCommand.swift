import ArgumentParser
import Canonical
import Identity
import IdentityService
import Projections

/// The operator's decisions about a tenant.
struct CompanyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "company",
        abstract: "List companies, let somebody found one, confirm domains, and replace a lost security admin.",
        discussion: """
            Examples:
              tenure company list
              tenure company invite harbour.example
              tenure company confirm-domain harbour.example
            """,
        subcommands: [CompanyList.self, CompanyInvite.self, CompanyConfirmDomain.self, CompanySucceed.self])
}

/// Confirms that a tenant controls the domain that is its name.
struct CompanyConfirmDomain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm-domain",
        abstract: "Record that a company controls the domain that is its name.",
        discussion: """
            Only then may the company reclaim e-mail addresses of that domain. Check the claim first: whoever \
            registered first chose the name.

            Enter the name as the owner of the domain writes it. Names such as straße.example and strasse.example are \
            one company and two domains. What is confirmed is the domain that you enter, in the form of the domain \
            name system, which the command prints: compare it with the domain that you checked.

            Example:
              tenure company confirm-domain harbour.example --operator-key operator.key
            """)

    @Argument(help: "The company's name.")
    var company: String

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let company = company
        let domain = try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.confirmDomain(company: company)
        }
        Output.standardError().line("Confirmed: \(domain).")
    }
}

/// Makes an employee the security admin of a tenant that has lost its security admin.
struct CompanySucceed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "succeed",
        abstract: "Make an employee the security admin after the current one is lost.",
        discussion: """
            As long as there is a security admin, they name the successor themselves: tenure client role. A device key \
            that an app vouched for carries the role only if you name it with --key. The event records that the \
            operator decided, and a new chain of signatures begins with it.

            A security admin who lost every device logs in on a new one and reads its fingerprint to you. Name the \
            same employee and that key: it is put in force and carries the role, and all sessions end.

            Example:
              tenure company succeed harbour.example bruno --operator-key operator.key
              tenure company succeed harbour.example ada --key FINGERPRINT --operator-key operator.key
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee's id in that company.")
    var companyEmployeeId: String

    @Option(help: "The fingerprint of a device key that shall carry the role; may be repeated.")
    var key: [String] = []

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let (company, employee, keys) = (company, companyEmployeeId, key.isEmpty ? nil : key)
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.succeedSecurityAdmin(of: company, by: employee, fingerprints: keys)
        }
        Output.standardError().line("Done. The employee is the security admin now.")
    }
}

/// Lists the tenants.
struct CompanyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the companies with their employees, apps and events.",
        discussion: """
            The counts come from the projection of companies, which follows the log within a moment. Cancelled \
            employees are not counted.

            Needs TENURE_READER_DATABASE_URL.

            Example:
              tenure company list --json | jq -r .companyName
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Print one JSON object per company.")
    var json = false

    func run() async throws {
        let companies = try await KeySession.reading(try await options.settings()) { pool in
            try await CompanyOverview.all(pool)
        }
        let output = Output.standardOutput()
        if json {
            for company in companies { try output.write(JSONLines.line(Self.json(company))) }
        } else if !companies.isEmpty {
            try output.write(Self.table(companies).rendered(on: output.terminal))
        }
        let count = companies.isEmpty ? "There is no company yet" : Noun.company.counted(companies.count)
        Output.standardError().line("\(count).")
    }

    static func table(_ companies: [CompanyOverview]) -> Table {
        var table = Table([
            .init(title: "Company"), .init(title: "Employees", alignment: .right),
            .init(title: "Apps", alignment: .right), .init(title: "Events", alignment: .right),
            .init(title: "Founded"), .init(title: "Domain"), .init(title: "Id"),
        ])
        for company in companies {
            table.add([
                company.companyName, "\(company.employees)", "\(company.linkedApps)", "\(company.events)",
                TimeText.short(company.foundedAt), company.confirmedDomain ?? "", company.id.uuid.lowercased,
            ])
        }
        return table
    }

    static func json(_ company: CompanyOverview) -> JSONValue {
        .objectOmittingNil([
            "companyName": .string(company.companyName), "companyId": .uuid(company.id.uuid),
            "foundedAt": .timestamp(company.foundedAt), "employees": .integer(company.employees),
            "linkedApps": .integer(company.linkedApps), "events": .integer(company.events),
            "confirmedDomain": company.confirmedDomain.map(JSONValue.string),
        ])
    }
}
