package import Canonical

/// The proof of an event about a return: a challenge that the new device signed, and the key of the credentials in
/// force.
///
/// It is verified from the tenant's ledger alone. Only the directory tells that the user key is one of the user's.
package struct ReturnProof: Sendable, Hashable {
    package var userID: UserID
    /// The credentials that were used.
    package var credentialID: CredentialID
    /// The user key that the right answers or passphrase unlocked.
    package var userKey: PublicKeyBytes
    /// The public half of the new device key.
    package var key: PublicKeyBytes
    /// The challenge of purpose `return`: the exact bytes that were signed.
    package var challenge: [UInt8]
    /// The new device key's signature over the challenge.
    package var deviceSignature: SignatureBytes
    /// The user key's signature over its own tag and the challenge.
    package var userSignature: SignatureBytes

    package init(
        userID: UserID, credentialID: CredentialID, userKey: PublicKeyBytes, key: PublicKeyBytes, challenge: [UInt8],
        deviceSignature: SignatureBytes, userSignature: SignatureBytes
    ) {
        self.userID = userID
        self.credentialID = credentialID
        self.userKey = userKey
        self.key = key
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
    }
}

extension ReturnProof: FlatObject {
    /// The members of `ReturnOpened` and `ReturnCompleted`.
    package static let members = EventMembers<ReturnProof>(
        "ReturnProof", ReturnProof.init,
        Member("userId", \.userID), Member("credentialId", \.credentialID), Member("userKey", \.userKey, .point),
        Member("key", \.key), Member("challenge", \.challenge, .bytes(EventLimits.challenge)),
        Member("deviceSignature", \.deviceSignature), Member("userSignature", \.userSignature, .raw))
}

/// A security admin asked to return with a new device key, after a right credential. A mail with a link is sent.
///
/// Nothing is decided yet: the return opens when the link is confirmed.
package struct ReturnRequested: EventPayload {
    package var returnID: ReturnID
    /// The security admin.
    package var employeeID: EmployeeID
    /// The public half of the new device key.
    package var key: PublicKeyBytes
    /// The flow, whose validation has the signatures.
    package var flow: FlowID
    /// When the link of the mail expires.
    package var expiresAt: Timestamp

    package static let members = EventMembers<ReturnRequested>(
        "ReturnRequested", ReturnRequested.init,
        Member("returnId", \.returnID), Member("employeeId", \.employeeID), Member("key", \.key),
        Member("flow", \.flow), Member("expiresAt", \.expiresAt))
}

/// The reason why a young address counts for a return.
package enum ReturnGround: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// The founder of a tenant that never had another admin confirmed it within a day after the founding, in a browser
    /// with the founder's session.
    case founding
}

/// The link of the mail was confirmed: the return is open and waits.
package struct ReturnOpened: EventPayload {
    package var returnID: ReturnID
    /// The security admin.
    package var employeeID: EmployeeID
    /// The proof of the request, with the only device key that may complete the return.
    package var proof: ReturnProof
    /// When the return may be completed from.
    package var availableAt: Timestamp
    /// When the return expires.
    package var expiresAt: Timestamp
    /// Why an address counts that is younger than 30 days; `nil` for an older one.
    package var ground: ReturnGround?

    package static let members = EventMembers<ReturnOpened>(
        "ReturnOpened", ReturnOpened.init,
        Member("returnId", \.returnID), Member("employeeId", \.employeeID), Member(inline: \.proof),
        Member("availableAt", \.availableAt), Member("expiresAt", \.expiresAt), Member(optional: "ground", \.ground))
}

/// A return was completed after its wait: the new device key is in force and alone carries the role.
package struct ReturnCompleted: EventPayload {
    package var returnID: ReturnID
    /// The security admin.
    package var employeeID: EmployeeID
    /// A new proof, by the device key that the opening names.
    package var proof: ReturnProof

    package static let members = EventMembers<ReturnCompleted>(
        "ReturnCompleted", ReturnCompleted.init,
        Member("returnId", \.returnID), Member("employeeId", \.employeeID), Member(inline: \.proof))
}

/// A return was cancelled before its completion, or undone after it. After two wrong choices of words it was a request.
///
/// An undone return ends the key that came back, and every key that it put in force. The keys before carry the role
/// again.
package struct ReturnCancelled: EventPayload {
    package var returnID: ReturnID
    /// The security admin.
    package var employeeID: EmployeeID
    /// The reason, as a code: `owner` for a statement, `login` for a log-in, `mail` for the link of a mail,
    /// `words` for two wrong choices behind one.
    package var reason: ReasonCode
    /// The fingerprint of the device that cancelled; `nil` for the link of a mail and wrong words.
    package let fingerprint: KeyFingerprint?
    /// The authority that decided; without a statement for a log-in, the link of a mail and wrong words.
    package var by: Authority

    package static let members = EventMembers<ReturnCancelled>(
        "ReturnCancelled", ReturnCancelled.init,
        Member("returnId", \.returnID), Member("employeeId", \.employeeID), Member("reason", \.reason),
        Member(optional: "fingerprint", \.fingerprint), Member("by", \.by))
}
