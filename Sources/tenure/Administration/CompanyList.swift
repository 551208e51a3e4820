import ArgumentParser
import Canonical
import Identity
import Projections

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
                TimeText.short(company.foundedAt), domain(of: company), company.id.uuid.lowercased,
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
            "suspendedDomain": company.suspendedDomain.map(JSONValue.string),
        ])
    }

    private static func domain(of company: CompanyOverview) -> String {
        company.confirmedDomain ?? company.suspendedDomain.map { "\($0) (suspended)" } ?? ""
    }
}
