import Foundation
import Testing

struct BehaviourTests {
    @Test func `the table of behaviours names existing tests only`() throws {
        let table = try #require(Checkout.file("Tests/behaviours.md")).text
        let sources = try Checkout.files(in: "Tests", endingIn: [".swift"]).map(\.text).joined()
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.dropFirst(2).first?.isNumber == true }
        #expect(rows.count == 48)
        var named = 0
        for row in rows {
            for name in row.matches(of: /`([^`]+)`/).map(\.output.1) {
                named += 1
                #expect(sources.contains("func `\(name)`"), "\(name)")
            }
        }
        #expect(named > 40)
    }
}
