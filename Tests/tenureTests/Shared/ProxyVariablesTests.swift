import Testing

@testable import tenure

@Suite struct ProxyVariablesTests {
    private static let loopback = "localhost,127.0.0.1,::1,127.0.0.0/8"

    @Test func `an environment without proxies stays as it is`() {
        #expect(ProxyVariables.changes([:]).isEmpty)
        #expect(ProxyVariables.changes(["PATH": "/bin", "NO_PROXY": "a"]).isEmpty)
    }

    @Test func `proxies for clear text are removed`() {
        let changes = ProxyVariables.changes(["http_proxy": "http://p", "HTTP_PROXY": ""])
        #expect(changes.keys.sorted() == ["HTTP_PROXY", "http_proxy"])
        #expect(changes.values.allSatisfy { $0 == nil })
    }

    @Test(arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
    func `a proxy for TLS stays, and makes an exception for this machine`(name: String) {
        let changes = ProxyVariables.changes([name: "http://p", "NO_PROXY": "intranet"])
        let environment = [name: "http://p"].merging(changes.compactMapValues { $0 }) { _, new in new }
        #expect(environment["https_proxy"] == "http://p")
        #expect(environment["no_proxy"] == "intranet," + Self.loopback)
        if name.lowercased() == "all_proxy" { #expect(changes.contains { $0.key == name && $0.value == nil }) }
    }

    @Test func `the variables count in the order of libcurl`() {
        let changes = ProxyVariables.changes([
            "https_proxy": "", "HTTPS_PROXY": "two", "all_proxy": "three", "no_proxy": "a", "NO_PROXY": "b",
        ])
        #expect(changes["https_proxy"] == "two")
        #expect(changes["no_proxy"] == "a," + Self.loopback)
        #expect(ProxyVariables.changes(["https_proxy": "one", "NO_PROXY": "*"]).isEmpty)
    }
}
