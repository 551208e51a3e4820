import Foundation
import Identity
@testable import IdentityService
import Keys
import Testing

@Suite struct `Accounts that a browser knows` {
    private let ring = KeyRing.random()
    private let tenant = TenantID(UUID())

    @Test func `are those that were logged in to there, the last eight of them, and nobody can add one`() {
        let people = (0..<10).map { _ in EmployeeID(UUID()) }
        var cookie: String?
        for person in people + [people[5]] { cookie = KnownAccounts(cookie, ring).adding(person, in: tenant) }
        let known = KnownAccounts(cookie, ring)
        #expect(people.map { known.contains($0, in: tenant) } == [false, false] + Array(repeating: true, count: 8))
        #expect(cookie?.utf8.count == 8 * 22 + 7)
        // An account is one of its tenant, and the service alone makes the digests.
        #expect(!known.contains(people[5], in: TenantID(UUID())))
        #expect(!KnownAccounts(cookie, KeyRing.random()).contains(people[5], in: tenant))
    }

    @Test(arguments: ["", ".", "a.b", String(repeating: "x.", count: 4_000), "\u{0}"])
    func `are none in another text`(_ text: String) {
        #expect(!KnownAccounts(text, ring).contains(EmployeeID(UUID()), in: tenant))
        #expect(KnownAccounts(text, ring).adding(EmployeeID(UUID()), in: tenant).utf8.count == 22)
    }
}
