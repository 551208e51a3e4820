import Testing

@testable import APIReference

@Suite struct CurlCommandTests {
    private func command(_ id: String, example: Int? = nil) throws -> String {
        let operation = try #require(try SampleContract.operation(id))
        let content = operation.bodies.first
        let body = try example.map { try #require(content?.examples.dropFirst($0).first).value }
        return CurlCommand(operation, content: content, body: body, schemes: try SampleContract.read().schemes)
            .description
    }

    @Test func `a read without credentials carries the required parameters of the query`() throws {
        #expect(try command("listThings") == #"curl "$TENURE_URL/v1/things?kind=a%20b""#)
    }

    @Test func `an app sends Basic credentials, and a body is quoted for the shell`() throws {
        let expected = #"""
            curl "$TENURE_URL/v1/things" \
              --user "$TENURE_APP_ID:$TENURE_APP_SECRET" \
              --header 'Content-Type: application/json' \
              --data '{
              "name": "Ada'\''s",
              "parts": []
            }'
            """#
        #expect(try command("makeThing", example: 0) == expected)
    }

    @Test func `a dollar in a body stays as it is`() throws {
        #expect(try command("makeThing", example: 1).contains(#""name": "$x""#))
    }

    @Test func `an employee sends a Bearer token, and a parameter of the path is a variable`() throws {
        let expected = #"""
            curl --request DELETE "$TENURE_URL/v1/things/$THING_ID" \
              --header "Authorization: Bearer $TENURE_ACCESS_TOKEN"
            """#
        #expect(try command("endThing") == expected)
    }

    @Test func `a form is sent member by member`() throws {
        let yaml = """
            paths:
              /t:
                post:
                  operationId: t
                  security: [{}]
                  requestBody: {content: {application/x-www-form-urlencoded: {example: {token: "a'b", hint: c}}}}
            """
        let contract = try ReferenceContract(ContractValue(yaml: Array(yaml.utf8)))
        let operation = try #require(contract.groups.first?.operations.first)
        let content = try #require(operation.bodies.first)
        let body = try #require(content.examples.first).value
        let text = CurlCommand(operation, content: content, body: body, schemes: []).description
        #expect(text.contains(#"--data-urlencode 'token=a'\''b'"#) && text.contains("--data-urlencode 'hint=c'"))
    }
}
