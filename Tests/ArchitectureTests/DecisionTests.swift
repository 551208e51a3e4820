import Testing

@Suite struct DecisionTests {
    @Test func `decisions are numbered from 1 without a gap`() throws {
        let names = try decisions().map { $0.path.split(separator: "/").last.map(String.init) ?? "" }
        #expect(names.isEmpty == false)
        for (index, name) in names.enumerated() {
            let digits = String(index + 1)
            let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            #expect(name.hasPrefix(number + "-"), "\(name) should be decision \(number)")
            #expect(name.dropLast(3).allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") })
        }
    }

    @Test func `a decision says its context, itself, its consequences and what else there was`() throws {
        for file in try decisions() {
            for heading in ["## Context", "## Decision", "## Consequences", "## Alternatives"] {
                #expect(file.lines.contains(Substring(heading)), "\(file.path) lacks \(heading)")
            }
        }
    }

    private func decisions() throws -> [Checkout.File] { try Checkout.files(in: "docs/decisions", endingIn: [".md"]) }
}
