import Canonical

/// A client with a secret redeemed a code with the verifier of its challenge, and needs a challenge from now on.
///
/// It is recorded once for each registration that leaves the choice to the client. The operator's next
/// ``AppClientChanged`` takes its place.
package struct AppChallengeAnswered: EventPayload {
    package var appID: AppID

    package static let members = EventMembers<AppChallengeAnswered>(
        "AppChallengeAnswered", AppChallengeAnswered.init, Member("appId", \.appID))
}
