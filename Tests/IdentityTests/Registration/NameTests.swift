import Identity
import Testing

@Suite struct `Names` {
    @Test(arguments: [
        "bayunsystems.com", "+1 (555) 010-0", "204", "Société Générale", "株式会社", "a",
        String(repeating: "x", count: 256),
        "name with @ and / and %2F", "...",
    ])
    func `any visible text is a valid name or employee id`(text: String) throws {
        #expect(try CompanyName(text).entered == text)
        #expect(try CompanyEmployeeID(text).entered == text)
    }

    @Test(arguments: ["", " ", "\u{2003}\u{00A0}"])
    func `an empty text is no name`(text: String) {
        #expect(code { try CompanyName(text) } == .companyNameMissing)
        #expect(code { try CompanyEmployeeID(text) } == .employeeIDMissing)
        #expect(code { try EmailAddress(text) } == .emailMissing)
    }

    @Test(arguments: ["a\0b", "a\u{07}", "a\u{10FFFF}", "a\u{0378}", String(repeating: "x", count: 257)])
    func `control characters, unassigned ones and overlong texts are refused`(text: String) {
        #expect(code { try CompanyName(text) } == .requestInvalid)
        #expect(code { try CompanyEmployeeID(text) } == .requestInvalid)
    }

    @Test(arguments: [
        ("BayunSystems.COM", " bayunsystems.com "), ("Straße", "STRASSE"), ("é", "e\u{301}"), ("ＡＢＣ", "abc"),
        ("two  words", "Two\u{A0}words"),
    ])
    func `spellings that people take for the same are the same`(left: String, right: String) throws {
        #expect(try CompanyName(left) == CompanyName(right))
        #expect(try CompanyName(left).hashValue == CompanyName(right).hashValue)
        #expect(try CompanyEmployeeID(left) == CompanyEmployeeID(right))
        #expect(try CompanyName(left).canonicalText == CompanyName(right).canonicalText)
    }

    @Test(arguments: [
        "a\tb", "a\n", "a\u{85}b", "a\u{9B}b", "a\u{2028}b", "a\u{2029}", "a\u{AD}b", "a\u{200B}b", "\u{FEFF}a",
        "a\u{2060}",
        "a\u{202E}b", "a\u{2066}b\u{2069}", "a\u{200E}", "a\u{200F}b", "a\u{61C}b", "a\u{200D}b", "a\u{200C}b",
        "a\u{FE0F}",
        "a\u{E0100}", "a\u{E0041}", "a\u{34F}b", "a\u{115F}", "a\u{3164}b", "a\u{2800}b", "a\u{180E}b", "a\u{FFFC}",
    ])
    func `invisible characters are refused in names, ids and addresses with one code`(text: String) {
        #expect(code { try CompanyName(text) } == .requestInvalid)
        #expect(code { try CompanyEmployeeID(text) } == .requestInvalid)
        #expect(code { try EmailAddress(text + "@mail.example") } == .requestInvalid)
        #expect(code { try EmailAddress("a@" + text) } == .requestInvalid)
    }

    @Test func `a recorded name with an invisible character is still read`() throws {
        #expect(try CompanyName(recorded: "a\u{AD}b") == CompanyName("ab"))
        #expect(try EmailAddress(recorded: "a\u{200B}@b") == EmailAddress("a@b"))
    }

    @Test func `different names stay different`() throws {
        #expect(try CompanyName("bayunsystems.com") != CompanyName("bayunsystems.co"))
        #expect(try CompanyEmployeeID("204") != CompanyEmployeeID("2 04"))
    }

    @Test func `a refusal does not repeat the text`() {
        do {
            _ = try EmailAddress("secret words")
            Issue.record("no address")
        } catch {
            #expect(!error.description.contains("secret"))
            #expect(error.field == "email")
        }
    }

    private func code<Value>(_ body: () throws -> Value) -> ValueError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? ValueError)?.code
        }
    }
}

@Suite struct `E-mail addresses` {
    @Test(arguments: [
        ("a@b", "b"), ("Zoe@BayunSystems.com", "bayunsystems.com"), ("x+y@[10.0.0.1]", "[10.0.0.1]"),
        ("josé@exämple.de", "exämple.de"), ("a＠b", "b"), (" a@b ", "b"),
        ("204@5550100.dummy-email", "5550100.dummy-email"),
        ("zoe@home.example@bayunsystems.com.dummy-email", "bayunsystems.com.dummy-email"),
        ("an id with spaces@A Company.Dummy-Email", "a company.dummy-email"),
        ("a@b@c@d.dummy-email", "d.dummy-email"),
    ])
    func `an address has one @, unless an app built it`(text: String, domain: String) throws {
        let address = try EmailAddress(text)
        #expect(address.domain == Array(domain.utf8))
        #expect(address.entered == text)
        #expect(address.isDummy == text.lowercased().hasSuffix(".dummy-email"))
    }

    @Test(arguments: [
        "a", "@", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a@.dummy-email", "@x.dummy-email", "x.dummy-email",
        "a\u{0378}@b", String(repeating: "x", count: 253) + "@b",
        String(repeating: "x", count: 530) + "@b.dummy-email",
    ])
    func `any other text is no address`(text: String) {
        #expect(throws: ValueError.self) { try EmailAddress(text) }
        do { _ = try EmailAddress(text) } catch { #expect(error.code == .emailInvalid) }
    }

    @Test func `addresses of the maximum length are accepted`() throws {
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
        ("204@5550100.dummy-email", "5550100", false),
    ])
    func `a company owns an address whose domain is its name`(address: String, company: String, owned: Bool) throws {
        #expect(try EmailAddress(address).isOwned(by: CompanyName(company)) == owned)
    }

    @Test(arguments: [
        ("204@5550100.dummy-email", "204", "5550100", true), ("204@5550100.Dummy-Email", "204", "5550100", true),
        ("zoe@home.example@bayunsystems.com.dummy-email", "Zoe@home.example", "BayunSystems.com", true),
        ("an id@a company.dummy-email", "An  Id", " A Company", true), ("204@mail.example", "205", "x", true),
        ("205@5550100.dummy-email", "204", "5550100", false), ("204@5550101.dummy-email", "204", "5550100", false),
        ("204@5550100.dummy-email.dummy-email", "204", "5550100", false),
        ("204 @5550100.dummy-email", "204", "5550100", false),
        // One text, two readings: only the company without the sign has it.
        ("zoe@home.example@a.example.dummy-email", "zoe", "home.example@a.example", false),
        ("zoe@home.example@a.example.dummy-email", "zoe@home.example", "a.example", true),
    ])
    func `an app-built address is valid for its employee only`(text: String, id: String, company: String, fits: Bool)
        throws
    {
        let address = try EmailAddress(text), employee = try CompanyEmployeeID(id), name = try CompanyName(company)
        #expect(address.isDummy(of: employee, in: name) == (fits && address.isDummy))
        do throws(ValueError) {
            try address.checkScope(of: employee, in: name)
            #expect(fits)
        } catch {
            #expect(!fits && error.code == .emailInvalid)
        }
    }

    @Test(arguments: ["a@example.org.", "a@example..org", "a@.example.org", "a@example\u{3002}org", "a@x.dummy-email."])
    func `an address with its domain in another spelling is refused`(text: String) {
        let error = #expect(throws: ValueError.self) { try EmailAddress(text) }
        #expect(error?.code == .emailInvalid)
    }

    @Test(arguments: [".", "..", " .. ", "\u{FF0E}"])
    func `a name that no URL path can contain is refused`(text: String) {
        let name = #expect(throws: ValueError.self) { try CompanyName(text) }
        let id = #expect(throws: ValueError.self) { try CompanyEmployeeID(text) }
        #expect(name?.code == .requestInvalid && id?.code == .requestInvalid)
    }

    @Test func `spellings that people take for the same are the same`() throws {
        #expect(try EmailAddress("Zoe@Example.org") == EmailAddress(" zoe@example.org"))
        #expect(try EmailAddress("zoe@example.org") != EmailAddress("zo.e@example.org"))
    }
}
