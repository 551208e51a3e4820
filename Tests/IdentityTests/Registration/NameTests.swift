import ErrorCodes
@testable import Identity
import Testing
import Text

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
        #expect(code { try CompanyEmployeeID(text) } == .employeeIdMissing)
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
        // A local part is taken as it is; a domain without such characters is the same domain.
        #expect(try EmailAddress(recorded: "a\u{200B}@b") != EmailAddress("a@b"))
        #expect(try EmailAddress(recorded: "a@\u{AD}b") == EmailAddress("a@b"))
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

    private func code<Value>(_ body: () throws -> Value) -> ErrorCode? {
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
        ("bayunsystems.com@evil.example", "bayunsystems.com", false), ("zoe@strasse.de", "Straße.de", false),
        ("zoe@STRASSE.de", "strasse.DE", true), ("zoe@xn--strae-oqa.de", " Straße.de ", true),
        ("zoe@straße.de", "xn--strae-oqa.de", true), ("zoe@a_b", "A_B", true), ("zoe@a_b", "a-b", false),
        ("zoe@exam\u{200D}ple.de", "example.de", false), ("zoe@example.de", "example。de", false),
        ("204@5550100.dummy-email", "5550100", false),
    ])
    func `a company owns an address whose domain is its name`(address: String, company: String, owned: Bool) throws {
        #expect(try EmailAddress(recorded: address).isOwned(by: CompanyName(company)) == owned)
    }

    @Test(arguments: [
        ("a@strasse.example", "a@straße.example"), ("a@λόγος.example", "a@λόγοσ.example"),
        ("straße@b.example", "strasse@b.example"), ("É@b.example", "é@b.example"), ("ａ@b.example", "a@b.example"),
        ("é@b.example", "e\u{301}@b.example"), ("a@STRAẞE.example", "a@strasse.example"),
        // Neither is a domain, and neither is taken for one that it folds to.
        ("a@exam\u{200D}ple.example", "a@example.example"), ("a@b_c.example", "a@b-c.example"),
        ("a@☕.example", "a@x☕.example"), ("204@strasse.dummy-email", "204@strasse.dummy-emails"),
    ])
    func `addresses differ if their local parts or domains do`(first: String, second: String) throws {
        let (first, second) = (try EmailAddress(recorded: first), try EmailAddress(recorded: second))
        #expect(first != second && first.key != second.key)
        guard first.domainName != second.domainName else { return }
        #expect(!first.isIn([second.domainName?.ascii ?? ""]) && !second.isIn([first.domainName?.ascii ?? ""]))
    }

    @Test(arguments: [
        ("Ann@Straße.example", "ANN@xn--strae-oqa.EXAMPLE"), ("a@MU\u{308}LLER.example", "a@müller.example"),
        ("a＠ｅｘａｍｐｌｅ．ｃｏｍ", " a@example.com"), ("a﹫b.example", "a@b.example"), ("a@☕.example", "a@☕.EXAMPLE"),
        ("204@Straße.dummy-email", "204@STRASSE.Dummy-Email"), ("a@A_B", "A@a_b"),
        ("\u{2003}a@b.example\u{A0}", "a@b.example"),
    ])
    func `addresses are equal if they are spellings of one`(first: String, second: String) throws {
        let (first, second) = (try EmailAddress(first), try EmailAddress(second))
        #expect(first == second && first.hashValue == second.hashValue)
    }

    @Test func `the foldings of an address are those of its spellings`() throws {
        func foldings(_ text: String) throws -> Set<String> {
            Set(try EmailAddress(recorded: text).foldings.map { String(decoding: $0, as: UTF8.self) })
        }
        #expect(try foldings("Zoe@Example.com") == ["zoe@example.com"])
        let forms: Set = ["zoe@strasse.example", "zoe@xn--strae-oqa.example"]
        #expect(try foldings("zoe@straße.example") == forms && foldings("Zoe@XN--strae-oqa.example") == forms)
        #expect(
            try foldings("ß@müller.straße.example") == [
                "ss@müller.strasse.example", "ss@xn--mller-kva.strasse.example", "ss@müller.xn--strae-oqa.example",
                "ss@xn--mller-kva.xn--strae-oqa.example",
            ])
        #expect(try foldings("zoe@a_b.example") == ["zoe@a_b.example"])
        #expect(try foldings("1@a.dummy-email") == ["1@a.dummy-email"])
    }

    @Test(arguments: ["a@xn--.example", "a@xn--zzzzzzzzz.example", "a@XN--strasse-.example", "a@a_b.xn--9.example"])
    func `an address with a false A-label is refused, and still read from the log`(text: String) throws {
        let error = #expect(throws: ValueError.self) { try EmailAddress(text) }
        #expect(error?.code == .emailInvalid)
        #expect(try EmailAddress(recorded: text).domainName == nil)
    }

    @Test func `a name of 253 bytes in A-labels is a domain, and a longer one is none`() throws {
        let label = String(repeating: "x", count: 63)
        let name = "\(label).\(label).\(label).\(label.dropLast(2))"
        #expect(try EmailAddress(recorded: "a@" + name.dropLast(2)).domainName?.ascii.utf8.count == 251)
        #expect(DomainName(name)?.ascii.utf8.count == 253 && DomainName(name + "x") == nil)
        #expect(try EmailAddress("a@\(label)x.example").domainName == nil)
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

@Suite struct `A user id of M-Pin` {
    @Test func `that is an address names that address only`() throws {
        let strasse = try EmailAddress("zoe@strasse.example"), straße = try EmailAddress("zoe@straße.example")
        let userID = try MPinUserID("Zoe@Straße.example")
        #expect(userID.names(straße, nil) && !userID.names(strasse, nil) && !userID.names(nil, nil))
        #expect(try userID == MPinUserID("zoe@xn--strae-oqa.example") && userID != MPinUserID("zoe@strasse.example"))
        #expect(try MPinUserID("zoe@xn--strae-oqa.example").names(straße, nil))
    }

    @Test func `that is no address is compared in canonical form`() throws {
        #expect(try MPinUserID("Straße 204") == MPinUserID(" strasse  204"))
        #expect(try MPinUserID("Straße").names(nil, CompanyEmployeeID("STRASSE")))
    }
}
