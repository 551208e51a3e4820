import Testing

@Suite struct DecisionTests {
    @Test func `decisions are numbered from 1 without a gap`() throws {
        let names = try decisions().map { $0.path.split(separator: "/").last.map(String.init) ?? "" }
        #expect(names.isEmpty == false)
        let expected = names.indices.map { index in
            let digits = String(index + 1)
            return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        #expect(names.map { String($0.prefix(4)) } == expected)
        let odd = names.filter { name in
            !name.dropFirst(4).dropLast(3).allSatisfy { $0 == "-" || ($0.isASCII && ($0.isLowercase || $0.isNumber)) }
        }
        #expect(odd == [])
    }

    @Test func `a decision record has context, decision and consequences`() throws {
        let parts = ["**Context.** ", "**Decision.** ", "**Consequences.** "]
        let lacking = try decisions().flatMap { file in
            parts.filter { part in !file.lines.contains { $0.hasPrefix(part) } }.map { "\(file.path) lacks \($0)" }
        }
        #expect(lacking.isEmpty, "\(lacking.joined(separator: "\n"))")
    }

    private func decisions() throws -> [Checkout.File] { try Checkout.files(in: "docs/decisions", endingIn: [".md"]) }
}
