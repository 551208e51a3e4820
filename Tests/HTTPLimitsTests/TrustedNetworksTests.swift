import Testing
@testable import HTTPLimits

@Suite struct TrustedNetworksTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("192.0.2.7/32", "::ffff:192.0.2.7", true),
        ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.200", true),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("2001:db8::/32", "2001:DB8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("::1", "::1", true), ("::1", "127.0.0.1", false),
        ("::/0", "2001:db8::1", true), ("10.0.0.0/8", "10.0.0", false), ("10.0.0.0/8", "", false),
    ]) func `an address is in a network if its first bits are the same`(
        network: String, address: String, isContained: Bool
    ) throws {
        #expect(try TrustedNetworks([network]).contains(address) == isContained)
        #expect(try TrustedNetworks(["198.51.100.1", network]).contains(address) == isContained)
    }

    @Test(arguments: [
        "", "localhost", "proxy.example", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08",
        "10.0.0.0/8/8", "10.0.0.1/8", "10.0.0", "010.0.0.1", "10.0.0.0/ 8", "[::1]", "::1/129", "2001:db8::1/32",
        "10.0.0.1:80", "fe80::1%eth0", "10.*", "10.0.0.0-10.0.0.9",
    ]) func `what is no network is refused by name`(text: String) {
        let error = #expect(throws: UnreadableNetwork.self) { try TrustedNetworks(["192.0.2.7", text]) }
        #expect(error?.text == text && error?.code == "network.unreadable")
    }

    @Test(arguments: [
        ("::ffff:192.0.2.7", "192.0.2.7"), ("192.0.2.7", "192.0.2.7"), ("2001:DB8:0:0::1", "2001:db8::1"),
        ("::", "::"), ("", ""), ("unknown", "unknown"),
    ]) func `an address has one text`(given: String, text: String) {
        #expect(IPAddress.canonical(given) == text)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("::2", false), ("::", false), ("::ffff:10.0.0.1", false),
    ]) func `loopback is told from other addresses`(text: String, isLoopback: Bool) {
        #expect(IPAddress(text)?.isLoopback == isLoopback)
    }
}
