package import Canonical

extension User {
    /// The time for which a former address can undo a change, and for which the new one vouches for nothing.
    package static let undoWindow = Duration.seconds(14 * 86_400)

    /// The last change of an address, until it is undone. An undo gives the former address its age back.
    package struct EmailChange: Sendable, Equatable {
        /// The former address, with its place; `nil` for a user who had none.
        package let former: Personal?
        let formerAddress: Address?
        /// The event of the change.
        package let place: EventPlace
        package let time: Timestamp
        /// Until when the former address can undo it; `nil` if it cannot.
        package let undoUntil: Timestamp?

        package func canBeUndone(at time: Timestamp) -> Bool { undoUntil.map { time < $0 } ?? false }
    }

    /// The command that gives a user another address, whose mailbox was proved.
    package struct ChangeEmail: Sendable, Equatable {
        package var email: EmailAddress
        /// Whether an admin's approval in one of the user's tenants confirmed the former address.
        package var isConfirmedByApproval: Bool
        package var time: Timestamp

        package init(to email: EmailAddress, isConfirmedByApproval: Bool, at time: Timestamp) {
            self.email = email
            self.isConfirmedByApproval = isConfirmedByApproval
            self.time = time
        }
    }

    /// A second change waits until nobody can undo the first one. Otherwise two changes would end the right of the
    /// address before both.
    static func decide(_ state: State, _ command: ChangeEmail) throws(Rejection) -> [UserEvent] {
        guard let id = state.id, !state.isErased else { throw .unknownUser }
        guard state.change?.canBeUndone(at: command.time) != true else { throw .emailChangeOpen }
        // Whoever reads the mails of an unconfirmed address may be a stranger, and that of a new one a thief.
        let isConfirmed = state.isEmailVerified || (state.holdsEmail && command.isConfirmedByApproval)
        let mayUndo = isConfirmed && state.isAddressSettled(at: command.time)
        let changed = EmailChanged(
            userID: id, email: Personal(id, command.email.entered),
            undoUntil: mayUndo ? command.time.adding(undoWindow) : nil)
        return [.emailChanged(changed)]
    }

    static func undoEmailChange(_ state: State, _ position: Int64, at time: Timestamp) throws(Rejection) -> [UserEvent]
    {
        guard let id = state.id, !state.isErased, let change = state.change, change.place.position == position,
            change.canBeUndone(at: time)
        else { throw .emailReplaced }
        return [.emailChangeUndone(EmailChangeUndone(userID: id, change: position))]
    }

    static func evolve(_ state: inout State, _ event: EmailChanged, _ recorded: Recorded<UserEvent>) {
        guard !state.isErased else { return }
        state.change = EmailChange(
            former: state.email, formerAddress: state.address, place: recorded.place, time: recorded.time,
            undoUntil: event.undoUntil)
        state.email = event.email
        state.address = Address(place: recorded.place, verifiedAt: recorded.time, changedAt: recorded.time)
    }

    static func evolve(_ state: inout State, _ event: EmailChangeUndone, at time: Timestamp) {
        guard !state.isErased, let change = state.change, change.place.position == event.change else { return }
        state.email = change.former
        state.address = change.formerAddress
        if state.address?.verifiedAt == nil { state.address?.verifiedAt = time }
        state.change = nil
    }
}

extension User.State {
    /// Whether the address is older than the time in which a former one may undo a change. A newer one vouches for no
    /// device, and opens no recovery.
    package func isAddressSettled(at time: Timestamp) -> Bool {
        (address?.changedAt).map { $0.adding(User.undoWindow) <= time } ?? true
    }
}
