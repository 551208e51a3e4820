import ArgumentParser
import Canonical
import Foundation
import TenureAPI
import Testing

@testable import tenure

@Suite struct ClientFindTests {
    private static let id = "0266f646-f51a-49e5-a57a-3ce9042bf1ad"
    private let plain = Terminal(isInteractive: false, width: 100, environment: [:])

    @Test func `finding somebody takes a company and an id or an address`() throws {
        for person in [Self.id, "erik@harbour.example"] {
            let command = try ClientFind.parse(["harbour.example", person, "--json"])
            #expect(command.company == "harbour.example" && command.person == person && command.options.json)
        }
        for arguments in [[], ["harbour.example"], ["harbour.example", Self.id, "more"]] {
            #expect(throws: (any Error).self) { try ClientFind.parse(arguments) }
        }
    }

    @Test func `a person and a company are lines with their ids`() throws {
        let id = try #require(UUID(uuidString: Self.id))
        let person = EmployeeResponse(
            employeeId: id, tenantId: id, companyName: "harbour.example", companyEmployeeId: "erik", status: "active",
            role: "employee", email: nil, isCompanyOwnedEmail: false, registeredAt: Timestamp(microseconds: 0))
        let people = ClientFind.table([person]).rendered(on: plain)
        #expect(people.contains("erik") && people.contains(Self.id))
        let company = LinkedCompanyResponse(
            tenantId: id, companyName: "harbour.example", foundedAt: Timestamp(microseconds: 0))
        let companies = ClientCompanies.table([company]).rendered(on: plain)
        #expect(companies.contains("harbour.example") && companies.contains(Self.id))
    }
}
