import Testing

@testable import IdentityService

/// What clients learn about a person.
@Suite struct PersonClaimsTests {
    @Test func `give nobody the user name of somebody else's company`() {
        #expect(PersonClaims.username("ada", at: "pier.example") == "ada@pier.example")
        // Whoever founds a company of the second name must not be the person of the first one.
        let real = PersonClaims.username("ada@acme.example", at: "pier")
        #expect(real == "ada@acme.example@pier")
        #expect(PersonClaims.username("ada", at: "acme.example@pier") == "ada@acme.example%40pier")
        #expect(PersonClaims.username("ada", at: "acme%40pier") == "ada@acme%2540pier")
    }
}
