package import Canonical

/// A user showed that they read the mails of their address: they opened the link or typed the code that was sent there.
package struct EmailVerified: EventPayload {
    package var userID: UserID
    /// The position of the event that has the verified address, in the same ledger. Another address is not verified.
    /// `nil` for the address of the event before it in the stream: both are of one append, which has no positions yet.
    package var address: Int64?
    /// The user's account whose session the browser held in which the link was opened; `nil` for another browser.
    package var browserOf: EmployeeID?

    package static let members = EventMembers<EmailVerified>(
        "EmailVerified", EmailVerified.init,
        Member("userId", \.userID), Member(optional: "address", \.address, .position),
        Member(optional: "browserOf", \.browserOf))
}

extension User {
    /// The address of a user, as far as decisions need it.
    package struct Address: Sendable, Equatable {
        package let place: EventPlace
        /// When the user opened the link that was sent there; `nil` before.
        package internal(set) var verifiedAt: Timestamp?
        /// The user's account whose session the browser held then.
        package internal(set) var verifiedInBrowserOf: EmployeeID?
        /// When a change brought the address; `nil` for that of the registration.
        var changedAt: Timestamp?
    }

    /// Decides about the link of a mail. The address has to be the one that the mail went to.
    static func verifyEmail(
        _ state: State, at position: Int64, browserOf: EmployeeID?
    ) throws(Rejection) -> [UserEvent] {
        guard let id = state.id, state.holdsEmail, let address = state.address, address.place.position == position
        else { throw .emailReplaced }
        guard address.verifiedAt == nil else { return [] }
        return [.emailVerified(EmailVerified(userID: id, address: position, browserOf: browserOf))]
    }
}

extension User.State {
    /// Whether the user has an address and opened the link that was sent there.
    package var isEmailVerified: Bool { holdsEmail && address?.verifiedAt != nil }
}
