import Canonical
@testable import Identity
import Testing

@Suite struct `Consent to a client` {
    private static let employee: EmployeeID = Sample.id(1), client: AppID = Sample.id(2)

    private func decide(_ state: Consent.State, hasGrants: Bool) throws -> [ConsentEvent] {
        try Consent.decide(state, .withdraw(Self.employee, Self.client, hasGrants: hasGrants))
    }

    @Test func `a withdrawal needs a consent or a grant, and is recorded once`() throws {
        var state = Consent.initial
        #expect(try decide(state, hasGrants: false).isEmpty && !state.isWithdrawn)
        let withdrawal = try #require(try decide(state, hasGrants: true).first)
        Consent.evolve(
            &state, Recorded(withdrawal, id: Sample.uuid(3), time: Sample.start, position: 7, version: 1))
        #expect(state.isWithdrawn && state.withdrawnAt == 7)
        #expect(try decide(state, hasGrants: true).isEmpty, "no grant is opened after a withdrawal")
        let given = try #require(try Consent.decide(state, .give(Self.employee, Self.client, [.openid])).first)
        Consent.evolve(&state, Recorded(given, id: Sample.uuid(4), time: Sample.start, position: 9, version: 2))
        #expect(!state.isWithdrawn && state.scopes == [.openid] && state.withdrawnAt == 7, "earlier grants stay ended")
        #expect(try decide(state, hasGrants: false).count == 1)
    }
}
