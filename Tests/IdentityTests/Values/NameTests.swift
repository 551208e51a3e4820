import Identity
import Testing

@Suite struct `Names` {
    @Test(arguments: [
        "bayunsystems.com", "+1 (555) 010-0", "204", "Société Générale", "株式会社", "a",
        String(repeating: "x", count: 256),
        "name with @ and / and %2F", "..",
    ])
    func `any text is a name or an employee id`(text: String) throws {
        #expect(try CompanyName(text).entered == text)
        #expect(try CompanyEmployeeID(text).entered == text)
    }

    @Test(arguments: ["", " ", "\t\n", "\u{2003}\u{00A0}"])
    func `nothing is no name`(text: String) {
        #expect(code { try CompanyName(text) } == .companyNameMissing)
        #expect(code { try CompanyEmployeeID(text) } == .employeeIDMissing)
        #expect(code { try EmailAddress(text) } == .emailMissing)
    }

    @Test(arguments: ["a\0b", "a\u{07}", "a\u{10FFFF}", "a\u{0378}", String(repeating: "x", count: 257)])
    func `a control character, an unassigned one and too long a text are refused`(text: String) {
        #expect(code { try CompanyName(text) } == .requestInvalid)
        #expect(code { try CompanyEmployeeID(text) } == .requestInvalid)
    }

    @Test(arguments: [
        ("BayunSystems.COM", " bayunsystems.com "), ("Straße", "STRASSE"), ("é", "e\u{301}"), ("ＡＢＣ", "abc"),
        ("two  words", "Two\twords"),
    ])
    func `spellings that people take for the same are the same`(left: String, right: String) throws {
        #expect(try CompanyName(left) == CompanyName(right))
        #expect(try CompanyName(left).hashValue == CompanyName(right).hashValue)
        #expect(try CompanyEmployeeID(left) == CompanyEmployeeID(right))
        #expect(try CompanyName(left).canonicalText == CompanyName(right).canonicalText)
    }

    @Test func `other names are others`() throws {
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
