import Canonical
import Testing

@testable import Identity

@Suite struct `A change of one's own address` {
    private static let window = User.undoWindow
    private static let changed = Sample.start.adding(.seconds(3_600))

    private func user(confirmed: Bool = true) throws -> User.State {
        var state = User.fold([Sample.recorded(.credentialsSet(try `Users and apps`.credentials()), position: 4)])
        if confirmed {
            User.evolve(
                &state, Sample.recorded(.emailVerified(EmailVerified(userID: Scene.user, address: 4)), position: 5))
        }
        return state
    }

    private func change(
        _ state: User.State, to text: String = "zoe@new.example", byApproval: Bool = false, at time: Timestamp = changed
    ) throws -> [UserEvent] {
        let email = try EmailAddress(text)
        return try User.decide(
            state, .changeEmail(User.ChangeEmail(to: email, isConfirmedByApproval: byApproval, at: time)))
    }

    private func changedUser(confirmed: Bool = true) throws -> User.State {
        var state = try user(confirmed: confirmed)
        for event in try change(state) { User.evolve(&state, Sample.recorded(event, at: Self.changed, position: 9)) }
        return state
    }

    @Test func `replaces the address, which is confirmed, and keeps the former one for 14 days`() throws {
        let before = try user(), state = try changedUser()
        #expect(state.email?.text == "zoe@new.example" && state.isEmailVerified)
        #expect(state.address?.place.position == 9 && state.address?.verifiedInBrowserOf == nil)
        #expect(state.change?.former == before.email && state.change?.undoUntil == Self.changed.adding(Self.window))
        #expect(state.credentials == before.credentials && state.id == before.id)
    }

    @Test func `is undone within 14 days by the position of its event, and on the fifteenth day no more`() throws {
        let before = try user(), state = try changedUser()
        let last = Timestamp(microseconds: Self.changed.adding(Self.window).microseconds - 1)
        let events = try User.decide(state, .undoEmailChange(9, at: last))
        #expect(events == [.emailChangeUndone(EmailChangeUndone(userID: Scene.user, change: 9))])
        var undone = state
        for event in events { User.evolve(&undone, Sample.recorded(event, at: last, position: 12)) }
        #expect(undone.email == before.email && undone.address == before.address && undone.change == nil)
        #expect(throws: User.Rejection.emailReplaced) { try User.decide(undone, .undoEmailChange(9, at: last)) }
        #expect(throws: User.Rejection.emailReplaced) { try User.decide(state, .undoEmailChange(8, at: last)) }
        let late = Self.changed.adding(Self.window)
        #expect(throws: User.Rejection.emailReplaced) { try User.decide(state, .undoEmailChange(9, at: late)) }
    }

    @Test func `is not undone by an address that nobody confirmed`() throws {
        let state = try changedUser(confirmed: false)
        #expect(state.change?.undoUntil == nil)
        #expect(throws: User.Rejection.emailReplaced) {
            try User.decide(state, .undoEmailChange(9, at: Self.changed))
        }
        let approved = try change(try user(confirmed: false), byApproval: true)
        guard case .emailChanged(let event)? = approved.first else { throw EventError(.unknownType, "no change") }
        #expect(event.undoUntil == Self.changed.adding(Self.window))
    }

    @Test func `waits while the last one can be undone, and only then`() throws {
        let state = try changedUser(), end = Self.changed.adding(Self.window)
        let last = Timestamp(microseconds: end.microseconds - 1)
        #expect(throws: User.Rejection.emailChangeOpen) { try change(state, to: "third@new.example", at: last) }
        #expect(try change(state, to: "third@new.example", at: end).count == 1)
        #expect(try change(try changedUser(confirmed: false), to: "third@new.example", at: last).count == 1)
    }

    @Test func `vouches for nothing for 14 days, whether or not it can be undone`() throws {
        for confirmed in [true, false] {
            let state = try changedUser(confirmed: confirmed), end = Self.changed.adding(Self.window)
            #expect(!state.isAddressSettled(at: Timestamp(microseconds: end.microseconds - 1)))
            #expect(state.isAddressSettled(at: end))
        }
        #expect(try user().isAddressSettled(at: Sample.start))
    }

    @Test func `gives no other address way, and is no unconfirmed one that does`() throws {
        #expect(throws: User.Rejection.emailKept) {
            try User.decide(
                try changedUser(confirmed: false), .giveWay(User.GiveWay(to: Sample.id(77), isVouched: false)))
        }
    }

    @Test func `is undone after a tenant reclaimed the new address, and never after an erasure`() throws {
        var state = try changedUser()
        let former = try user().email
        let released = UserEvent.emailReleased(EmailReleased(userID: Scene.user, tenant: Sample.id(8)))
        User.evolve(&state, Sample.recorded(released, at: Self.changed, position: 10))
        #expect(!state.holdsEmail)
        for event in try User.decide(state, .undoEmailChange(9, at: Self.changed)) {
            User.evolve(&state, Sample.recorded(event, at: Self.changed, position: 11))
        }
        #expect(state.isEmailVerified && state.email == former)

        var erased = try changedUser()
        let erasure = UserEvent.erased(UserErased(userID: Scene.user, by: .operator(nil)))
        User.evolve(&erased, Sample.recorded(erasure, position: 10))
        #expect(erased.change == nil)
        #expect(throws: User.Rejection.emailReplaced) { try User.decide(erased, .undoEmailChange(9, at: Self.changed)) }
        #expect(throws: User.Rejection.unknownUser) { try change(erased) }
    }

    @Test func `ends what an admin's approval says about the former address`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        let events = try Employee.decide(state, .followEmail("zoe@new.example"))
        #expect(
            events == [
                .emailChanged(
                    EmployeeEmailChanged(
                        employeeID: Scene.employee, userID: Scene.user,
                        email: Personal(Scene.employee, "zoe@new.example"), by: .policy))
            ])
        Scene.apply(
            [.approved(EmployeeApproved(employeeID: Scene.employee, emailVerified: true, by: .policy))], to: &state)
        #expect(state.account?.isEmailVerified == true)
        Scene.apply(events, to: &state)
        #expect(state.account?.isEmailVerified == false && state.account?.isCompanyOwnedEmail == false)
        #expect(state.account?.email.text == "zoe@new.example")
    }

    @Test func `is undone by no address that is new itself, whose age an undo does not change`() throws {
        let later = Self.changed.adding(.seconds(60)), settled = Self.changed.adding(Self.window)
        func next(_ state: User.State, at time: Timestamp) throws -> (User.State, Timestamp?) {
            var state = state
            for event in try change(state, to: "third@new.example", at: time) {
                User.evolve(&state, Sample.recorded(event, at: time, position: 12))
            }
            return (state, state.change?.undoUntil)
        }
        // The second address is confirmed by its code, but a minute old: whoever has it may be a thief.
        let (quick, none) = try next(try changedUser(confirmed: false), at: later)
        #expect(none == nil && !quick.isAddressSettled(at: settled))
        #expect(throws: User.Rejection.emailReplaced) { try User.decide(quick, .undoEmailChange(12, at: later)) }
        // Approval does not help it.
        guard
            case .emailChanged(let approved)? = try change(
                try changedUser(confirmed: false), to: "third@new.example", byApproval: true, at: later
            ).first
        else { throw EventError(.unknownType, "no change") }
        #expect(approved.undoUntil == nil)
        // After 14 days it may undo, and then is as old as before.
        var (slow, until) = try next(try changedUser(confirmed: false), at: settled)
        #expect(until == settled.adding(Self.window))
        for event in try User.decide(slow, .undoEmailChange(12, at: settled)) {
            User.evolve(&slow, Sample.recorded(event, at: settled, position: 13))
        }
        #expect(slow.email?.text == "zoe@new.example" && slow.address?.changedAt == Self.changed)
        #expect(slow.isAddressSettled(at: settled))
        #expect(!slow.isAddressSettled(at: Timestamp(microseconds: settled.microseconds - 1)))
    }

    @Test func `is not told to a company that has ended the account`() throws {
        let state = try Scene.state([.register(Scene.register(founding: true))])
        #expect(try Employee.decide(state, .followEmail("zoe@new.example")).count == 1)
        var cancelled = state, released = state, reclaimed = state
        cancelled.account?.isCancelled = true
        released.account?.isReleased = true
        reclaimed.account?.isReclaimed = true
        for ended in [cancelled, released, reclaimed] {
            #expect(try Employee.decide(ended, .followEmail("zoe@new.example")).isEmpty)
        }
    }
}
