@testable import Identity
import Testing

@Suite struct `The verification of an address` {
    private func user() throws -> User.State {
        User.fold([Sample.recorded(.credentialsSet(try `Users and apps`.credentials()), position: 4)])
    }

    @Test func `happens once, for the address that the user has`() throws {
        var state = try user()
        #expect(!state.isEmailVerified)
        let events = try User.decide(state, .verifyEmail(address: 4))
        #expect(events == [.emailVerified(EmailVerified(userID: Scene.user, address: 4))])
        for event in events { User.evolve(&state, Sample.recorded(event, position: 9)) }
        #expect(state.isEmailVerified)
        #expect(try User.decide(state, .verifyEmail(address: 4)) == [])
    }

    @Test func `of another address counts for nothing`() throws {
        var state = try user()
        #expect(throws: User.Rejection.emailReplaced) { try User.decide(state, .verifyEmail(address: 3)) }
        User.evolve(&state, Sample.recorded(.emailVerified(EmailVerified(userID: Scene.user, address: 3))))
        #expect(!state.isEmailVerified)
    }

    @Test func `ends with the address`() throws {
        var state = try user()
        User.evolve(&state, Sample.recorded(.emailVerified(EmailVerified(userID: Scene.user, address: 4))))
        let released = EmailReleased(userID: Scene.user, tenant: EventSamples.tenant)
        User.evolve(&state, Sample.recorded(.emailReleased(released), position: 11))
        #expect(!state.isEmailVerified)
        #expect(throws: User.Rejection.emailReplaced) { try User.decide(state, .verifyEmail(address: 4)) }
        #expect(throws: User.Rejection.emailReplaced) { try User.decide(User.initial, .verifyEmail(address: 4)) }
    }
}
