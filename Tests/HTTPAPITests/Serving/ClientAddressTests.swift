import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite struct ClientAddressTests {
    private func headers(_ values: [String]) throws -> RequestHeaders {
        var fields = HTTPFields()
        for value in values {
            fields.append(HTTPField(name: try #require(HTTPField.Name("X-Forwarded-For")), value: value))
        }
        return RequestHeaders(fields: fields)
    }

    @Test(arguments: [
        ([], "10.0.0.1"), (["203.0.113.9"], "203.0.113.9"), (["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9, 10.0.0.2"], "203.0.113.9"), (["6.6.6.6", "203.0.113.9,10.0.0.2"], "203.0.113.9"),
        (["a"], "10.0.0.1"), (["203.0.113.9, a"], "10.0.0.1"), (["2001:DB8:0::1"], "2001:db8::1"),
        (["203.0.113.9:80"], "10.0.0.1"), (["fe80::1%eth0"], "10.0.0.1"), ([""], "10.0.0.1"),
        ([String(repeating: "9", count: 10_000)], "10.0.0.1"), (["10.0.0.2, 10.0.0.1"], "10.0.0.2"),
        ([" \t203.0.113.9 \t"], "203.0.113.9"),
    ]) func `behind a trusted proxy the last address that is no proxy counts`(values: [String], address: String) throws
    {
        let client = ClientAddress(trustedProxies: ["10.0.0.1", "10.0.0.2"])
        #expect(client.of(peer: "10.0.0.1", headers: try headers(values)) == address)
    }

    @Test func `nobody else's word counts`() throws {
        let client = ClientAddress(trustedProxies: ["10.0.0.1"])
        #expect(client.of(peer: "203.0.113.7", headers: try headers(["1.2.3.4"])) == "203.0.113.7")
        #expect(client.of(peer: nil, headers: try headers(["1.2.3.4"])) == nil)
    }

    @Test func `what came through a proxy on this machine is not from this machine`() throws {
        #expect(ClientAddress.isLoopback(peer: "127.0.0.1", headers: try headers([])))
        #expect(ClientAddress.isLoopback(peer: "::1", headers: try headers([])))
        #expect(!ClientAddress.isLoopback(peer: "127.0.0.1", headers: try headers(["1.2.3.4"])))
        #expect(!ClientAddress.isLoopback(peer: "10.0.0.1", headers: try headers([])))
        #expect(!ClientAddress.isLoopback(peer: nil, headers: try headers([])))
    }
}
