import Testing

@testable import Identity

/// User names that the pages make.
@Suite struct UserNameTests {
    private func made(_ address: String) throws -> String? { UserName(from: try EmailAddress(address))?.text }

    @Test(arguments: [
        ("cy@pier.example", "cy"), ("Ada.Lovelace@pier.example", "ada.lovelace"), ("jo+news@pier.example", "jo"),
        ("_eva_@pier.example", "eva"), ("h4l-9@pier.example", "h4l-9"),
    ]) func `the local part of an address makes one`(address: String, name: String) throws {
        let found = try made(address)
        #expect(found == name && found?.contains("@") == false)
    }

    @Test(arguments: [
        "a@pier.example", "+x@pier.example", "...@pier.example", "zoë@pier.example", "o'neill@pier.example",
        String(repeating: "x", count: 33) + "@pier.example", "7@pier.example.dummy-email",
    ]) func `what would be no plain name makes none, and the page asks`(address: String) throws {
        #expect(try made(address) == nil)
    }

    @Test(arguments: ["admin", "Root", "CEO", "security.admin", "admin-1", "_it_", "post.master", "owner+x"])
    func `a name that would speak for the company is made for nobody`(local: String) throws {
        #expect(try made(local + "@pier.example") == nil)
    }

    @Test func `a name that is taken gets two digits`() throws {
        let name = try #require(UserName(from: try EmailAddress("cy@pier.example")))
        #expect(name.numbered(7) == "cy07" && name.numbered(42) == "cy42" && name.numbered(255) == "cy55")
    }
}
