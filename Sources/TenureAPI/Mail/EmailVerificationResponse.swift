public import Canonical

/// The answer to a request to verify the caller's address.
public struct EmailVerificationResponse: Sendable, Equatable, ResponseObject {
    /// What was done.
    public enum Outcome: String, Sendable, CaseIterable {
        /// A mail with a link is on its way.
        case sent
        /// The address is verified already.
        case verified
    }
    /// What was done.
    public var outcome: Outcome

    package init(outcome: Outcome) { self.outcome = outcome }

    /// The members on the wire.
    public static let members = WireMembers<EmailVerificationResponse>(
        "EmailVerificationResponse", EmailVerificationResponse.init, Member("outcome", \.outcome, .either))
}
