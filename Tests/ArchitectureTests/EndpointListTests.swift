import Testing

/// One list makes an endpoint known. Routes, contract, callers and samples are held against `Endpoint.all` where they
/// are tested; here every declared endpoint is held against that list.
@Suite struct EndpointListTests {
    @Test func `every declared endpoint is in the list of all`() throws {
        let files = try Checkout.files(in: "Sources/TenureAPI", endingIn: [".swift"])
        let found = endpoints(in: files.map(\.text).joined(separator: "\n"))
        #expect(found.declared.count > 100)
        #expect(found.declared.sorted() == found.listed.sorted())
    }

    @Test func `every route declares an endpoint that is in the list`() throws {
        let files = try Checkout.files(in: "Sources/HTTPAPI", endingIn: [".swift"])
        let routed = files.flatMap { $0.text.matches(of: /Route\(\s*\.(\w+)/).map { String($0.output.1) } }
        #expect(routed.count > 70)
        let api = try Checkout.files(in: "Sources/TenureAPI", endingIn: [".swift"])
        #expect(Set(routed).subtracting(endpoints(in: api.map(\.text).joined(separator: "\n")).listed).sorted() == [])
    }

    @Test func `an endpoint outside the lists, and a list outside of all, are found`() {
        let text = """
            static let all: [Endpoint] = general
            private static let general: [Endpoint] = [.first]
            static let ofOthers: [Endpoint] = [.second]
            public static let first = Endpoint("GET", "/first", .anyone, "")
            public static let second = company(
                "/second", "")
            private static func company(_ rest: String, _ summary: String) -> Endpoint {
                Endpoint("GET", rest, .anyone, summary)
            }
            public static let third = Summary("third")
            """
        let found = endpoints(in: text)
        #expect(found.declared == ["first", "second"] && found.listed == ["first"])
    }

    /// The declared endpoints, and those of the lists that `all` joins.
    private func endpoints(in text: String) -> (declared: [String], listed: [String]) {
        let makers = text.matches(of: /static func (\w+)\([^{]*-> Endpoint\b/).map(\.output.1) + ["Endpoint"]
        let declared = text.matches(of: /static let (\w+) = (\w+)\(/).filter { makers.contains($0.output.2) }
            .map { String($0.output.1) }
        let all = text.firstMatch(of: /static let all: \[Endpoint\] = ([^\n\[]+)/)?.output.1 ?? ""
        let joined = Set(all.split(separator: "+").map { $0.filter { $0 != " " } })
        let lists = text.matches(of: /static let (\w+): \[Endpoint\] = \[([^\]]*)\]/)
        let listed = lists.filter { joined.contains(String($0.output.1)) }
            .flatMap { $0.output.2.matches(of: /\.(\w+)/).map { String($0.output.1) } }
        return (declared, listed)
    }
}
