import TenureAPI
import Testing

@Suite struct PathTemplateTests {
    private let employee = PathTemplate("/v1/companies/{companyName}/employees/{companyEmployeeId}")

    @Test(arguments: ["Acme", "A/B", "..", "ß", "+49 30", "%2F", "?#[]", "🏢", "a\u{301}", "\u{0}"])
    func `captures round-trip through a path`(name: String) throws {
        let path = employee.path(["companyName": name, "companyEmployeeId": "7"])
        #expect(path.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        let segments = try #require(PathTemplate.segments(of: path))
        let raw = try #require(employee.match(segments))
        let captured = try #require(raw["companyName"])
        let read = PercentEncoding.decode(captured)
        #expect(read.map { Array($0.utf8) } == Array(name.utf8))
        #expect(raw["companyEmployeeId"] == "7")
    }

    @Test(arguments: [
        "/v1/companies/a/employees", "/v1/companies/a/employees/", "/v1/companies//employees/7",
        "/v1/companies/a/employees/7/", "/v1/companies/a/employees/7/8", "/v1/companies/a/Employees/7",
    ]) func `another path does not match`(path: String) throws {
        #expect(employee.match(try #require(PathTemplate.segments(of: path))) == nil)
    }

    @Test func `a path starts with a slash`() {
        #expect(PathTemplate.segments(of: "v1") == nil)
        #expect(PathTemplate.segments(of: "") == nil)
        #expect(PathTemplate.segments(of: "/") == [])
    }

    @Test func `a capture without a value matches nothing`() throws {
        let path = employee.path(["companyName": "a"])
        #expect(employee.match(try #require(PathTemplate.segments(of: path))) == nil)
        #expect(employee.captures == ["companyName", "companyEmployeeId"])
    }

    @Test func `a capture at the end may take the rest of the path`() throws {
        let tile = PathTemplate("/c/{companyName}/tile/{tile}", takesRest: true)
        let segments = try #require(PathTemplate.segments(of: "/c/A%2FB/tile/0/x001/234.p/7"))
        #expect(tile.match(segments) == ["companyName": "A%2FB", "tile": "0/x001/234.p/7"])
        #expect(
            tile.match(try #require(PathTemplate.segments(of: "/c/a/tile/0"))) == ["companyName": "a", "tile": "0"])
        for path in ["/c/a/tile", "/c/a/tile/", "/c/a/b/tile/0"] {
            #expect(tile.match(try #require(PathTemplate.segments(of: path))) == nil)
        }
    }

    @Test func `every byte survives percent-encoding`() {
        for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) {
            let text = String(scalar)
            #expect(PercentEncoding.decode(PercentEncoding.encode(text)).map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test(arguments: ["%", "%4", "%G0", "%0G", "%FF", "%C3%28", "%ED%A0%80", "%F4%90%80%80", "%C0%80"])
    func `invalid percent-encoding is not decoded`(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }

    @Test func `operations have unique names and known captures`() {
        #expect(Set(Endpoint.all).count == Endpoint.all.count)
        let known: Set = [
            "companyName", "companyEmployeeId", "fingerprint", "appId", "flow", "position", "tile", "invitationId",
            "mpinId", "identityId", "userId", "returnId", "grantId",
        ]
        for endpoint in Endpoint.all {
            #expect(Set(endpoint.template.captures).isSubset(of: known))
            #expect(!endpoint.summary.isEmpty)
        }
    }
}
