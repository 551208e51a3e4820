public import Canonical

/// What an authenticator is asked with.
public struct PasskeyOptionsResponse: Sendable, Equatable, ResponseObject {
    /// The site that the passkeys belong to: `rp.id` and `rpId` of WebAuthn.
    public var rpId: String
    /// The challenge, which the answer names.
    public var challenge: [UInt8]
    /// The SHA-256 of the challenge: `challenge` of WebAuthn.
    public var digest: [UInt8]
    /// The time until which the challenge may be answered.
    public var expiresAt: Timestamp
    /// `user.id` of a new passkey of the account; absent for a log-in.
    public var userHandle: [UInt8]?
    /// The ids of the account's passkeys, for `excludeCredentials`; empty for a log-in, where the authenticator names the
    /// account.
    public var credentialIds: [[UInt8]]

    package init(
        rpId: String, challenge: [UInt8], digest: [UInt8], expiresAt: Timestamp, userHandle: [UInt8]? = nil,
        credentialIds: [[UInt8]] = []
    ) {
        (self.rpId, self.challenge, self.digest, self.expiresAt) = (rpId, challenge, digest, expiresAt)
        (self.userHandle, self.credentialIds) = (userHandle, credentialIds)
    }

    /// The members on the wire.
    public static let members = WireMembers<PasskeyOptionsResponse>(
        "PasskeyOptionsResponse", PasskeyOptionsResponse.init, Member("rpId", \.rpId),
        Member("challenge", \.challenge, .anyBytes), Member("digest", \.digest, .anyBytes),
        Member("expiresAt", \.expiresAt),
        Member(optional: "userHandle", \.userHandle, .anyBytes),
        Member("credentialIds", \.credentialIds, .array(of: .anyBytes, { _ in 0...Int.max })))
}
