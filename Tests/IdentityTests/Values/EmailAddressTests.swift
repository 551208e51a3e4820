import Identity
import Testing

@Suite struct `E-mail addresses` {
    @Test(arguments: [
        ("a@b", "b"), ("Zoe@BayunSystems.com", "bayunsystems.com"), ("x+y@[10.0.0.1]", "[10.0.0.1]"),
        ("josé@exämple.de", "exämple.de"), ("a＠b", "b"), (" a@b ", "b"),
        ("204@5550100.dummy-email", "5550100.dummy-email"),
        ("zoe@home.example@bayunsystems.com.dummy-email", "bayunsystems.com.dummy-email"),
        ("an id with spaces@A Company.Dummy-Email", "a company.dummy-email"),
        ("a@b@c@d.dummy-email", "d.dummy-email"),
    ])
    func `an address has one sign, unless an app built it`(text: String, domain: String) throws {
        let address = try EmailAddress(text)
        #expect(address.domain == Array(domain.utf8))
        #expect(address.entered == text)
        #expect(address.isDummy == text.lowercased().hasSuffix(".dummy-email"))
    }

    @Test(arguments: [
        "a", "@", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a@.dummy-email", "@x.dummy-email", "x.dummy-email",
        "a@b\u{07}", "a@\0", "a\u{0378}@b", String(repeating: "x", count: 253) + "@b",
        String(repeating: "x", count: 530) + "@b.dummy-email",
    ])
    func `anything else is no address`(text: String) {
        #expect(throws: ValueError.self) { try EmailAddress(text) }
        do { _ = try EmailAddress(text) } catch { #expect(error.code == .emailInvalid) }
    }

    @Test func `the longest addresses are taken`() throws {
        _ = try EmailAddress(String(repeating: "x", count: 252) + "@b")
        let id = String(repeating: "i", count: CompanyEmployeeID.maximumBytes)
        let name = String(repeating: "n", count: CompanyName.maximumBytes)
        _ = try EmailAddress("\(id)@\(name).dummy-email")
    }

    @Test(arguments: [
        ("zoe@bayunsystems.com", "BayunSystems.com", true), ("zoe@BAYUNSYSTEMS.COM", "bayunsystems.com", true),
        ("zoe@mail.bayunsystems.com", "bayunsystems.com", false),
        ("zoe@notbayunsystems.com", "bayunsystems.com", false),
        ("zoe@bayunsystems.com.evil.example", "bayunsystems.com", false), ("zoe@com", "bayunsystems.com", false),
        ("bayunsystems.com@evil.example", "bayunsystems.com", false), ("zoe@strasse.de", "Straße.de", true),
        ("204@5550100.dummy-email", "5550100", false), ("zoe@gmail.com.", "gmail.com", false),
    ])
    func `a company owns an address whose domain is its name`(address: String, company: String, owned: Bool) throws {
        #expect(try EmailAddress(address).isOwned(by: CompanyName(company)) == owned)
    }

    @Test func `spellings that people take for the same are the same`() throws {
        #expect(try EmailAddress("Zoe@Example.org") == EmailAddress(" zoe@example.org"))
        #expect(try EmailAddress("zoe@example.org") != EmailAddress("zo.e@example.org"))
    }
}
