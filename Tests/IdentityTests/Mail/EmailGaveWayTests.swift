@testable import Identity
import Testing

@Suite struct `An address that gives way` {
    private static let claimant: UserID = Sample.id(77)

    private func user(_ events: [UserEvent] = []) throws -> User.State {
        var state = User.fold([Sample.recorded(.credentialsSet(try `Users and apps`.credentials()), position: 4)])
        for event in events { User.evolve(&state, Sample.recorded(event, position: 9)) }
        return state
    }

    private func give(_ state: User.State, to claimant: UserID = claimant, isVouched: Bool = false) throws
        -> [UserEvent]
    {
        try User.decide(state, .giveWay(User.GiveWay(to: claimant, isVouched: isVouched)))
    }

    @Test func `is unconfirmed, and only the address goes`() throws {
        var state = try user()
        let events = try give(state)
        #expect(events == [.emailGaveWay(EmailGaveWay(userID: Scene.user, claimant: Self.claimant))])
        let before = state
        for event in events { User.evolve(&state, Sample.recorded(event, position: 11)) }
        #expect(!state.holdsEmail && state.address == nil && state.gaveWayAt == Sample.start)
        #expect(state.id == before.id && state.credentials == before.credentials && !state.isErased)
        #expect(throws: User.Rejection.emailReplaced) { try give(state) }
    }

    @Test func `is kept by whom somebody vouched for, and by who confirmed it`() throws {
        let state = try user()
        #expect(throws: User.Rejection.emailKept) { try give(state, isVouched: true) }
        let confirmed = try user([.emailVerified(EmailVerified(userID: Scene.user, address: 4))])
        #expect(throws: User.Rejection.emailKept) { try give(confirmed) }
    }

    @Test func `is not that of an erased user, nor given to the holder`() throws {
        let erased = try user([.erased(UserErased(userID: Scene.user, by: .operator(nil)))])
        #expect(throws: User.Rejection.emailReplaced) { try give(erased) }
        let state = try user()
        #expect(throws: User.Rejection.emailReplaced) { try give(state, to: Scene.user) }
        #expect(throws: User.Rejection.emailReplaced) { try give(User.initial) }
    }

    @Test func `is verified for its new user by the second event of the stream, and by no later one`() throws {
        let credentials = try `Users and apps`.credentials()
        let events = try User.decide(User.initial, .setProvedCredentials(credentials))
        #expect(
            events == [
                .credentialsSet(credentials), .emailVerified(EmailVerified(userID: credentials.userID)),
            ])
        func state(_ version: Int) -> User.State {
            var state = User.initial
            for (event, version) in zip(events, [1, version]) {
                var recorded = Sample.recorded(event, position: Int64(version))
                recorded.version = version
                User.evolve(&state, recorded)
            }
            return state
        }
        #expect(state(2).isEmailVerified && !state(3).isEmailVerified)
        #expect(throws: User.Rejection.credentialsExist) {
            try User.decide(state(2), .setProvedCredentials(credentials))
        }
    }
}

@Suite struct `Who vouches for the holder of an address` {
    private func state(_ by: [Authority]) -> Employee.State {
        var state = Employee.State()
        for authority in by {
            let authorized = EmployeeKeyAuthorized(employeeID: Scene.employee, key: Sample.key(0x31), by: authority)
            Employee.evolve(&state, Sample.recorded(.keyAuthorized(authorized)))
        }
        return state
    }

    @Test func `is an app, the operator or another person, and not a founding, a policy or an own account`() {
        let own: Set<EmployeeID> = [Scene.employee, Sample.id(78)]
        let nobody: [Authority] = [
            .founding, .policy, .employee(Scene.employee, nil), .employee(Sample.id(78), nil),
        ]
        #expect(!state(nobody).isVouched(besides: own))
        for somebody in [
            Authority.app(Sample.id(70), secret: Sample.id(71), nil), .operator(nil), .employee(Sample.id(79), nil),
        ] {
            // A later authorization takes nothing back.
            #expect(state([somebody] + nobody).isVouched(besides: own), "\(somebody)")
        }
    }
}
