import Canonical

/// An unconfirmed address gave way to the user who proved its mailbox. The cause is that user's `EmailVerified`.
package struct EmailGaveWay: EventPayload {
    package var userID: UserID
    /// The user who has the address since the same append.
    package var claimant: UserID

    package static let members = EventMembers<EmailGaveWay>(
        "EmailGaveWay", EmailGaveWay.init,
        Member("userId", \.userID), Member("claimant", \.claimant))
}

extension User {
    /// The command that takes an address from its holder, for a flow whose browser proved the mailbox.
    package struct GiveWay: Sendable, Equatable {
        /// The user who gets the address.
        package var claimant: UserID
        /// Whether somebody else, an app or the operator ever authorized a device key of the holder's accounts, or an
        /// admin confirmed the address.
        package var isVouched: Bool

        package init(to claimant: UserID, isVouched: Bool) {
            self.claimant = claimant
            self.isVouched = isVouched
        }
    }

    /// Only the address moves, and only one that nothing connects with its holder.
    static func decide(_ state: State, _ give: GiveWay) throws(Rejection) -> [UserEvent] {
        guard let id = state.id, state.holdsEmail, id != give.claimant else { throw .emailReplaced }
        guard !give.isVouched, !state.isEmailVerified else { throw .emailKept }
        return [.emailGaveWay(EmailGaveWay(userID: id, claimant: give.claimant))]
    }
}
