import ArgumentParser
import Canonical
import Foundation
import TenureAPI
import TenureClient

/// Finds an employee by the permanent id or the address, with the authority of the app.
struct ClientFind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find an employee of a company by the permanent id or the address.",
        discussion: """
            The permanent id is the member sub of an access token. Needs an app with the role ACCESS.

            Examples:
              tenure client find harbour.example erik@harbour.example
              tenure client find harbour.example 0266f646-f51a-49e5-a57a-3ce9042bf1ad --json
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: ArgumentHelp("The permanent id of an employee, or an address.", valueName: "id|address"))
    var person: String

    @OptionGroup var options: ClientOptions

    func run() async throws {
        let client = try await options.client()
        let (company, person) = (company, person)
        let people = try await Interruption.stopping {
            if let id = UUID(entered: person) {
                try await [client.employee(id: id, of: company)].compactMap(\.self)
            } else {
                try await client.employees(email: person, of: company)
            }
        }
        guard !people.isEmpty else {
            throw CommandFailure(
                .notFound, "the company has no such employee",
                remedy: "Check the id or the address, and the company that the app is linked to.")
        }
        let output = Output.standardOutput()
        guard !options.json else {
            for person in people { try output.write(JSONLines.line(person.json)) }
            return
        }
        try output.write(Self.table(people).rendered(on: output.terminal))
    }

    static func table(_ people: [EmployeeResponse]) -> Table {
        var table = Table([
            .init(title: "Employee"), .init(title: "Status"), .init(title: "Role"), .init(title: "E-mail"),
            .init(title: "Id"),
        ])
        for person in people {
            table.add([
                person.companyEmployeeId ?? "", person.status, person.role, person.email ?? "",
                person.employeeId.lowercased,
            ])
        }
        return table
    }
}

/// Lists the companies that the app is linked to.
struct ClientCompanies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "companies", abstract: "List the companies that the app is linked to.",
        discussion: """
            Access tokens name a company by the id that is shown here. Needs an app with the role ACCESS.

            Example:
              tenure client companies --json
            """)

    @OptionGroup var options: ClientOptions

    func run() async throws {
        let client = try await options.client()
        let companies = try await Interruption.stopping {
            var found: [LinkedCompanyResponse] = [], after: Int64?
            repeat {
                let page = try await client.companies(after: after, limit: 200)
                found += page.items
                after = page.next
            } while after != nil
            return found
        }
        let output = Output.standardOutput()
        if options.json {
            for company in companies { try output.write(JSONLines.line(company.json)) }
        } else if !companies.isEmpty {
            try output.write(Self.table(companies).rendered(on: output.terminal))
        }
        let count =
            companies.isEmpty ? "The app is linked to no company" : Noun.company.counted(companies.count)
        Output.standardError().line("\(count).")
    }

    static func table(_ companies: [LinkedCompanyResponse]) -> Table {
        var table = Table([.init(title: "Company"), .init(title: "Founded"), .init(title: "Id")])
        for company in companies {
            table.add([company.companyName, TimeText.short(company.foundedAt), company.tenantId.lowercased])
        }
        return table
    }
}
