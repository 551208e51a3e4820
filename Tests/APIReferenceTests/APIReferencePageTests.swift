import Testing

@testable import APIReference

@Suite struct APIReferencePageTests {
    private static let codes = [
        ReferenceCode(name: "thing.unknown", status: 404, title: "No such thing", advice: "Send `name` <again>.")
    ]

    private func page(_ contract: String = SampleContract.text) throws -> String {
        try APIReferencePage(contract: Array(contract.utf8), codes: Self.codes).html
    }

    @Test func `every operation, schema and code has its anchor`() throws {
        let html = try page()
        for anchor in ["listThings", "makeThing", "endThing", "schema-Thing", "schema-Problem", "thing.unknown"] {
            #expect(html.contains("id=\"\(anchor)\""), "\(anchor)")
            #expect(html.contains("href=\"#\(anchor)\""), "\(anchor)")
        }
    }

    @Test func `no anchor is there twice, and every link of the page leads somewhere`() throws {
        let html = try page()
        let anchors = html.matches(of: /\ id="([^"]+)"/).map { String($0.1) }
        #expect(Set(anchors).count == anchors.count)
        let targets = Set(html.matches(of: /href="#([^"]+)"/).map { String($0.1) })
        #expect(targets.subtracting(anchors).sorted() == [])
        #expect(targets.count > 8)
    }

    @Test func `text of the contract and of the codes is escaped`() throws {
        let html = try page(SampleContract.text.replacing("A thing.", with: "<script>alert('1 & \"2\"')</script>"))
        #expect(html.contains("&lt;script&gt;alert(&#39;1 &amp; &quot;2&quot;&#39;)&lt;/script&gt;"))
        #expect(html.contains("&lt;again&gt;"))
        #expect(html.matches(of: /<script/).count == 1)
    }

    @Test func `the page loads its own style and script alone and has nothing inline`() throws {
        let html = try page()
        #expect(html.matches(of: /\ src="([^"]*)"/).map { String($0.1) } == ["docs/script.js"])
        #expect(html.matches(of: /<link [^>]*href="([^"]*)"/).map { String($0.1) } == ["docs/style.css"])
        #expect(html.contains("<script src=\"docs/script.js\" defer></script>"))
        for forbidden in [" style=", "<style", " onclick=", " onload=", "javascript:", "<img", "<iframe"] {
            #expect(!html.contains(forbidden), "\(forbidden)")
        }
    }

    @Test func `callers are named, and the security schemes where the contract names none`() throws {
        let html = try page()
        #expect(html.contains("<span class=\"caller\">app <b>ACCESS</b></span>"))
        #expect(html.contains("<span class=\"caller\">security admin</span>"))
        #expect(html.contains("<span class=\"caller\">employee</span>"))
        #expect(html.contains("<span class=\"caller\">anyone</span>"))
    }

    @Test func `a code tells which operations answer it and shows a problem document`() throws {
        let html = try page()
        let code = try #require(html.firstRange(of: "id=\"thing.unknown\""))
        let row = html[code.upperBound...].prefix { $0 != "}" }
        #expect(row.contains("Answered by one operation") && row.contains("#endThing"))
        #expect(row.contains("&quot;code&quot;: &quot;thing.unknown&quot;"))
    }

    @Test(arguments: [
        ("paths: [", "The contract is not YAML"), ("", "The contract is empty"),
        ("openapi: 3.1.0", "The contract has no operations"),
        ("a: &x 1\nb: *x\npaths: {}", "operations"),
        ("paths: {/a: {get: {summary: A}}}", "GET /a has no operationId"),
        ("paths: {/a: {get: {operationId: a}, post: {operationId: a}}}", "two operations a"),
        ("paths: {/a: {get: {operationId: a, parameters: [{$ref: '#/none'}]}}}", "refers to #/none"),
        ("? [a]\n: b", "a key that is not a string"),
    ])
    func `a contract that cannot be read is refused with the reason`(contract: String, reason: String) {
        let error = #expect(throws: APIReferenceError.self) { try page(contract) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `a contract that is not UTF-8 or too deep is refused`() {
        #expect(throws: APIReferenceError.self) { try APIReferencePage(contract: [0x61, 0xFF]) }
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(throws: APIReferenceError.self) { try page(deep) }
    }
}
