@testable import Identity
import Testing

@Suite struct `The claim preferred_username` {
    @Test func `is the id, in which only an own address keeps its mark`() {
        #expect(PreferredUsername.of("ada", isOwnAddress: false) == "ada")
        #expect(PreferredUsername.of("ada~b", isOwnAddress: false) == "ada~b")
        #expect(PreferredUsername.of("ada@pier.example", isOwnAddress: true) == "ada@pier.example")
        #expect(PreferredUsername.of("ada@pier.example", isOwnAddress: false) == "ada%40pier.example")
        // Somebody who takes this id is not the person before.
        #expect(PreferredUsername.of("ada%40pier.example", isOwnAddress: false) == "ada%2540pier.example")
        // A mark that composes with the next one is a mark all the same.
        #expect(PreferredUsername.of("a@\u{301}b", isOwnAddress: false) == "a%40\u{301}b")
    }

    @Test func `is nobody's address for a client of any tenant, and tells id and tenant apart`() {
        #expect(PreferredUsername.of("ceo", at: "bigcorp.example") == "ceo~bigcorp.example")
        let names = [
            PreferredUsername.of("ada@acme.example", at: "pier"), PreferredUsername.of("ada", at: "acme.example@pier"),
            PreferredUsername.of("ada~acme.example", at: "pier"), PreferredUsername.of("ada", at: "acme.example~pier"),
            PreferredUsername.of("ada%40acme.example", at: "pier"), PreferredUsername.of("ada", at: "acme%7Epier"),
        ]
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.count { $0 == "~" } == 1 && !$0.contains("@") }, "\(names)")
    }

    @Test func `comes back as a hint`() {
        for (id, company) in [("ada", "pier"), ("a@b", "c~d%40"), ("%7E", "%2540")] {
            let read = PreferredUsername.parse(PreferredUsername.of(id, at: company), ofAnyTenant: true)
            #expect(read.id == id && read.company == company)
            let plain = PreferredUsername.parse(PreferredUsername.of(id, isOwnAddress: false), ofAnyTenant: false)
            #expect(plain.id == id && plain.company == nil)
        }
        #expect(PreferredUsername.parse("a~b", ofAnyTenant: false).id == "a~b")
    }
}
