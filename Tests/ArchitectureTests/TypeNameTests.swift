import Testing

@Suite struct TypeNameTests {
    @Test func `no two targets declare a type with the same name`() throws {
        let types = try Checkout.sources().flatMap { target, file in
            file.lines.compactMap(TypeLine.name).map { (target: target, name: $0) }
        }
        #expect(types.count > 500, "the types were not found")
        #expect(shared(types) == [])
    }

    @Test func `the check reports a name in two targets and ignores a name twice in one target`() {
        let types: [(target: String, name: String)] = [
            ("Ledger", "Append"), ("Keys", "Append"), ("Ledger", "Page"), ("Ledger", "Page"), ("Keys", "Ring"),
        ]
        #expect(shared(types) == ["Append: Keys, Ledger"])
    }

    @Test(
        arguments: [
            ("struct Append {", "Append"), ("public enum `Type`: String {", "Type"),
            ("typealias FlowID = Identifier<Flow>", "FlowID"),
            ("public final class Box<Value>: Sendable {", "Box"), ("package protocol Reader: Sendable {", "Reader"),
            ("@available(macOS 15, *) public actor Pool {", "Pool"), ("indirect enum Tree {", "Tree"),
        ])
    func `the check reads the name of every top-level declaration`(line: String, name: String) {
        #expect(TypeLine.name(in: line) == name)
    }

    @Test(
        arguments: [
            "    struct Page {", "private struct Page {", "fileprivate enum Page {", "extension Page {",
            "@Sendable private func page() {", "public func page() {", "// struct Page", "}", "",
        ])
    func `the check ignores every other line`(line: String) {
        #expect(TypeLine.name(in: line) == nil)
    }

    /// The names that more than one target declares, each with its targets.
    private func shared(_ types: [(target: String, name: String)]) -> [String] {
        Dictionary(grouping: types, by: \.name).mapValues { Set($0.map(\.target)).sorted() }
            .filter { $0.value.count > 1 }.map { "\($0.key): \($0.value.joined(separator: ", "))" }.sorted()
    }
}
