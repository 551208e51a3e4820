import Canonical
import Foundation
import Keys
import TenureAPI
import Testing

@testable import IdentityService

@Suite struct CallerNetworkTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.250"), ("192.0.2.7", "::ffff:192.0.2.9"), ("::ffff:c000:207", "192.0.2.1"),
        ("2001:db8:1:200::1", "2001:db8:1:2ff:ffff::9"), ("fe80::1%eth0", "fe80::2"), ("::", "::1"),
        ("2001:db8::7", "2001:db8:0:0:0:0:0:8"),
    ]) func `is the same for addresses that one person may have`(first: String, second: String) {
        #expect(CallerNetwork(of: first) == CallerNetwork(of: second))
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.3.7"), ("2001:db8:1:200::1", "2001:db8:1:300::1"), ("192.0.2.7", "::c000:207"),
        ("192.0.2.7", "localhost"), ("1.2.3", "1.2.3.4"), ("1::2::3", "1::2"), ("2001:db8::7", "2001:db9::7"),
    ]) func `is another one for other addresses`(first: String, second: String) {
        #expect(CallerNetwork(of: first) != CallerNetwork(of: second))
    }

    @Test func `of callers without an address is one`() {
        #expect(CallerNetwork(of: nil) == CallerNetwork(of: ""))
    }

    @Test func `stands in rows as what only the service can compute`() {
        let ring = KeyRing.random(), network = CallerNetwork(of: "192.0.2.7")
        #expect(network.digest(ring).count == 32)
        #expect(network.digest(ring) == CallerNetwork(of: "192.0.2.8").digest(ring))
        #expect(network.digest(ring) != network.digest(.random()))
    }

    @Test func `survives the row of a flow`() throws {
        var state = BudgetFixture.flow()
        #expect(try FlowState.members.read(FlowState.members.write(state)).network == nil)
        state.network = CallerNetwork(of: "192.0.2.7").digest(.random())
        #expect(try FlowState.members.read(FlowState.members.write(state)) == state)
    }
}
