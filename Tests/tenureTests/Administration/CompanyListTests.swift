import Canonical
import Foundation
@testable import Identity
@testable import Projections
import Testing

@testable import tenure

@Suite struct CompanyListTests {
    private func company() throws -> CompanyOverview {
        let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        return CompanyOverview(
            id: TenantID(id), companyName: "harbour.example", foundedAt: Timestamp(microseconds: 0), employees: 5,
            linkedApps: 1, events: 21, confirmedDomain: nil)
    }

    @Test func `a company is a line with its counts`() throws {
        let plain = Terminal(isInteractive: false, width: 80, environment: [:])
        #expect(
            CompanyList.table([try company()]).rendered(on: plain) == """
                COMPANY          EMPLOYEES  APPS  EVENTS  FOUNDED              DOMAIN  ID
                harbour.example          5     1      21  1970-01-01 00:00:00          00000000-0000-4000-8000-000000000001

                """)
    }

    @Test func `a confirmed domain is shown`() throws {
        var company = try company()
        company.confirmedDomain = "xn--strae-oqa.example"
        let plain = Terminal(isInteractive: false, width: 80, environment: [:])
        #expect(CompanyList.table([company]).rendered(on: plain).contains("  xn--strae-oqa.example  "))
        #expect(JSONLines.line(CompanyList.json(company)).contains(#""confirmedDomain":"xn--strae-oqa.example""#))
    }

    @Test func `a program gets numbers and no member for what is missing`() throws {
        #expect(
            JSONLines.line(CompanyList.json(try company()))
                == #"{"companyId":"00000000-0000-4000-8000-000000000001","companyName":"harbour.example","#
                + #""employees":5,"events":21,"foundedAt":"1970-01-01T00:00:00.000000Z","linkedApps":1}"# + "\n")
    }
}
