import Testing

@testable import APIReference

@Suite struct SchemaMembersTests {
    private func body(_ name: String) throws -> String {
        let contract = try SampleContract.read()
        let summary = SchemaSummary(contract: contract, prose: ReferenceProse(anchors: ["Thing": "schema-Thing"]))
        return SchemaMembers(summary: summary).body(
            .object([.init(name: "$ref", value: .string("#/components/schemas/" + name))])
        ).html
    }

    @Test func `members of allOf are merged, and a schema's own come before`() throws {
        let html = try body("Thing")
        #expect(html.contains("<dt><code>name</code> <span class=\"type\">string</span> <span class=\"required\">"))
        #expect(html.contains("<dt><code>size</code> <span class=\"type\">integer or null</span></dt>"))
        #expect(html.matches(of: /<code>size<\/code>/).count == 1)
    }

    @Test func `values, limits and rules are told`() throws {
        let html = try body("Thing")
        #expect(html.contains("One of <code>red</code>, <code>green</code>."))
        #expect(html.contains("At most 3 items.") && html.contains("At least 1 character."))
        #expect(html.contains("always <code>7</code>"))
        #expect(html.contains("Other members are refused."))
        let known = "Known values: <code>thing.unknown</code>, <code>thing.known</code>."
        let open = try body("Problem")
        #expect(open.matches(of: /Known values:/).count == 2)
        #expect(open.contains("Items: \(known)"), "values of items")
    }

    @Test func `a schema that contains itself is linked, not unfolded again`() throws {
        let html = try body("Thing")
        #expect(html.contains("<a href=\"#schema-Thing\">Thing</a>") && html.contains("Whose it is."))
        #expect(!html.contains("Members of Thing"))
    }

    @Test func `each variant of a choice unfolds`() throws {
        let html = try body("Choice")
        #expect(html.contains("Members of Thing") && html.contains("Members of Problem"))
    }

    @Test func `prose has paragraphs, lists, code and links`() {
        let prose = ReferenceProse(anchors: ["Thing": "schema-Thing"])
        let html = prose.blocks("A `Thing` &\nmore.\n\n* one\n  more\n* `two`\n").html
        #expect(html.contains("<p>A <a href=\"#schema-Thing\"><code>Thing</code></a> &amp; more.</p>"))
        #expect(html.contains("<li>one more</li>\n<li><code>two</code></li>"))
        #expect(prose.line("an odd ` stays").html == "an odd ` stays")
    }
}
