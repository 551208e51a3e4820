import Testing

@testable import APIReference

@Suite struct ContractValueTests {
    @Test(
        arguments: [
            ("true", .bool(true)), ("~", .null), ("12", .number("12")), ("-1.5e3", .number("-1.5e3")),
            ("'12'", .string("12")), ("012", .string("012")), ("1.2.3", .string("1.2.3")), ("yes", .string("yes")),
            ("[1, a]", .list([.number("1"), .string("a")])),
            ("{b: 1, a: 2}", .object([.init(name: "b", value: .number("1")), .init(name: "a", value: .number("2"))])),
        ] as [(String, ContractValue)])
    func `scalars are what JSON makes of them, and members keep their order`(yaml: String, value: ContractValue) throws
    {
        #expect(try ContractValue(yaml: Array(yaml.utf8)) == value)
    }

    @Test func `JSON is indented and escaped`() throws {
        let value = ContractValue.object([
            .init(name: "a\"\\\n\u{1}", value: .list([.number("1"), .null])), .init(name: "b", value: .object([])),
            .init(name: "c", value: .list([.object([.init(name: "d", value: .bool(false))])])),
        ])
        let expected = #"""
            {
              "a\"\\\n\u0001": [1, null],
              "b": {},
              "c": [
                { "d": false }
              ]
            }
            """#
        #expect(JSONText(value).description == expected)
    }

    @Test func `a reference takes the members beside it first, and a circle ends`() throws {
        let yaml = "a: {$ref: '#/b', description: mine}\nb: {description: theirs, type: string}\nc: {$ref: '#/c'}"
        let document = try ContractValue(yaml: Array(yaml.utf8))
        let resolved = ReferenceContract.resolve(try #require(document["a"]), in: document)
        #expect(resolved["description"] == .string("mine") && resolved["type"] == .string("string"))
        #expect(ReferenceContract.resolve(try #require(document["c"]), in: document)["type"] == nil)
    }
}
