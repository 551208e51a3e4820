import Testing

@Suite struct TypeNameTests {
    @Test func `no two targets declare a type of one name`() throws {
        let types = try Checkout.sources().flatMap { target, file in
            file.lines.compactMap(TypeLine.name).map { (target: target, name: $0) }
        }
        #expect(types.count > 500, "the types were not found")
        #expect(shared(types) == [])
    }

    @Test func `a name in two targets is found, and a name twice in one is the compiler's matter`() {
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
    func `a declaration at the top level has a name`(line: String, name: String) {
        #expect(TypeLine.name(in: line) == name)
    }

    @Test(
        arguments: [
            "    struct Page {", "private struct Page {", "fileprivate enum Page {", "extension Page {",
            "@Sendable private func page() {", "public func page() {", "// struct Page", "}", "",
        ])
    func `anything else has none`(line: String) {
        #expect(TypeLine.name(in: line) == nil)
    }

    /// The names that more than one target declares, each with its targets.
    private func shared(_ types: [(target: String, name: String)]) -> [String] {
        Dictionary(grouping: types, by: \.name).mapValues { Set($0.map(\.target)).sorted() }
            .filter { $0.value.count > 1 }.map { "\($0.key): \($0.value.joined(separator: ", "))" }.sorted()
    }
}
