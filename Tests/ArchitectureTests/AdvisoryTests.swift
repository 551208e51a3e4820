import Foundation
import Testing

struct AdvisoryTests {
    @Test func `the table of advisories names exactly the tests of the advisories`() throws {
        let table = try #require(Checkout.file("Tests/advisories.md")).text
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.dropFirst(2).first?.isNumber == true }
        #expect(rows.count == 36)
        let named = Set(rows.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.output.1) } })
        let sources = try Checkout.files(in: "Tests", endingIn: [".swift"]).map(\.text).joined()
        for name in named { #expect(sources.contains("func `\(name)`"), "\(name)") }
        let advisories = try Checkout.files(in: "Tests/ScenarioTests/Advisories", endingIn: [".swift"]).map(\.text)
            .joined()
        let written = Set(advisories.matches(of: /func `([^`]+)`/).map { String($0.output.1) })
        #expect(written.count > 20 && written.isSubset(of: named), "\(written.subtracting(named))")
    }
}
