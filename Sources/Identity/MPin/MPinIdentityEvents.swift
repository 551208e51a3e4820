package import Canonical

package enum MPinIdentityEvent: AggregateEvent {
    case started(MPinRegistrationStarted)
    case restarted(MPinRegistrationRestarted)
    case linked(MPinLinked)
    case verified(MPinIdentityVerified)
    case keyIssued(MPinClientKeyIssued)
    case registered(MPinRegistered)
    case authenticationFailed(MPinAuthenticationFailed)
    case failuresCleared(MPinFailuresCleared)
    case blocked(MPinBlocked)
    case revoked(MPinRevoked)
    case erased(MPinErased)

    package static let cases = AggregateCases<MPinIdentityEvent>(
        started, restarted, linked, verified, keyIssued, registered, authenticationFailed, failuresCleared,
        blocked, revoked, erased)

    package var payload: any EventPayload {
        switch self {
        case .started(let event): event
        case .restarted(let event): event
        case .linked(let event): event
        case .verified(let event): event
        case .keyIssued(let event): event
        case .registered(let event): event
        case .authenticationFailed(let event): event
        case .failuresCleared(let event): event
        case .blocked(let event): event
        case .revoked(let event): event
        case .erased(let event): event
        }
    }
}

/// The registration of an M-Pin identity started: one user id on one device.
package struct MPinRegistrationStarted: EventPayload {
    package var identityID: MPinIdentityID
    /// The SHA-256 of the M-Pin ID, whose 16 random bytes salt it. The M-Pin ID itself contains the user id and is
    /// never recorded.
    package var mpinIDHash: Bytes32
    /// The user id as entered, encrypted under the identity's own key.
    package var userID: Personal
    /// The name of the device, encrypted under the identity's own key.
    package var deviceName: Personal?
    /// How the identity is to be verified, as the policy said at the start.
    package var verification: MPinVerificationMode
    /// When the registration expires unless it is verified before.
    package var expiresAt: Timestamp

    package static let members = EventMembers<MPinRegistrationStarted>(
        "MPinRegistrationStarted", MPinRegistrationStarted.init,
        Member("identityId", \.identityID), Member("mpinIdHash", \.mpinIDHash), Member("userId", \.userID),
        Member(optional: "deviceName", \.deviceName), Member("verification", \.verification),
        Member("expiresAt", \.expiresAt))
}

/// The registration of an identity started again, unverified. Counts of failed attempts stay.
package struct MPinRegistrationRestarted: EventPayload {
    /// When the registration expires unless it is verified before.
    package var expiresAt: Timestamp

    package static let members = EventMembers<MPinRegistrationRestarted>(
        "MPinRegistrationRestarted", MPinRegistrationRestarted.init,
        Member("expiresAt", \.expiresAt))
}

/// An identity was linked to an employee's account, which only a device key of that account decides.
package struct MPinLinked: EventPayload {
    package var employeeID: EmployeeID
    /// The device key that decided: the identity belongs to that device.
    package var fingerprint: KeyFingerprint
    package var by: Authority

    package static let members = EventMembers<MPinLinked>(
        "MPinLinked", MPinLinked.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint), Member("by", \.by))
}

/// An identity was verified, and a client key may be issued for it.
package struct MPinIdentityVerified: EventPayload {
    package var method: MPinVerificationMethod
    /// When the registration expires unless it is completed before.
    package var issueUntil: Timestamp
    package var by: Authority

    package static let members = EventMembers<MPinIdentityVerified>(
        "MPinIdentityVerified", MPinIdentityVerified.init,
        Member("method", \.method), Member("issueUntil", \.issueUntil), Member("by", \.by))
}

/// The service issued its share of the identity's client key. Repetitions return the same share without an event.
package struct MPinClientKeyIssued: EventPayload {
    /// The suite that the key belongs to.
    package var suite: MPinKeySuite
    /// The epoch of the master secrets that the key derives from.
    package var epoch: Int
    /// The push identifier of the device, encrypted under the identity's own key.
    package var pushIdentifier: Personal?

    package static let members = EventMembers<MPinClientKeyIssued>(
        "MPinClientKeyIssued", MPinClientKeyIssued.init,
        Member("suite", \.suite), Member("epoch", \.epoch, .count),
        Member(optional: "pushIdentifier", \.pushIdentifier))
}

/// The client proved its token for the first time, which completes the registration.
package struct MPinRegistered: EventPayload {

    package static let members = EventMembers<MPinRegistered>(
        "MPinRegistered", MPinRegistered.init)
}

/// A proof was wrong.
package struct MPinAuthenticationFailed: EventPayload {
    /// The number of consecutive wrong proofs, this one included.
    package var failures: Int
    /// The number of consecutive wrong proofs that blocks the identity.
    package var limit: Int
    /// The number of wrong proofs since the identity started, this one included.
    package var lifetime: Int

    package static let members = EventMembers<MPinAuthenticationFailed>(
        "MPinAuthenticationFailed", MPinAuthenticationFailed.init,
        Member("failures", \.failures, .count), Member("limit", \.limit, .count),
        Member("lifetime", \.lifetime, .count))
}

/// A right proof set the count of consecutive wrong proofs back to zero.
package struct MPinFailuresCleared: EventPayload {

    package static let members = EventMembers<MPinFailuresCleared>(
        "MPinFailuresCleared", MPinFailuresCleared.init)
}

/// Wrong proofs ended the identity for good.
package struct MPinBlocked: EventPayload {
    /// The limit that was reached.
    package var reason: MPinBlockReason

    package static let members = EventMembers<MPinBlocked>(
        "MPinBlocked", MPinBlocked.init,
        Member("reason", \.reason))
}

/// The identity ended for good by a decision or by a rule.
package struct MPinRevoked: EventPayload {
    package var reason: MPinRevocationReason
    package var by: Authority
    /// The user whose address gave way; `nil` for another reason.
    package var userID: UserID?

    package static let members = EventMembers<MPinRevoked>(
        "MPinRevoked", MPinRevoked.init,
        Member("reason", \.reason), Member("by", \.by), Member(optional: "userId", \.userID))
}

/// The identity's personal data was erased: its key is destroyed with this event or right after it.
package struct MPinErased: EventPayload {
    package var by: Authority

    package static let members = EventMembers<MPinErased>(
        "MPinErased", MPinErased.init,
        Member("by", \.by))
}

/// A flow received a right proof of an identity.
package struct MPinAuthenticated: EventPayload {
    package var identityID: MPinIdentityID

    package static let members = EventMembers<MPinAuthenticated>(
        "MPinAuthenticated", MPinAuthenticated.init,
        Member("identityId", \.identityID))

    package init(identityID: MPinIdentityID) {
        self.identityID = identityID
    }
}

/// A flow took a proof of an M-Pin identity in the place of answers, and its device signed the flow's challenge.
///
/// The signature is verifiable by anybody. The verdict about the PIN is the word of the service.
package struct MPinValidated: EventPayload {
    /// The challenge: the exact bytes that were signed.
    package var challenge: [UInt8]
    /// The device's signature over the challenge.
    package var deviceSignature: SignatureBytes

    package static let members = EventMembers<MPinValidated>(
        "MPinValidated", MPinValidated.init,
        Member("challenge", \.challenge, .bytes(EventLimits.challenge)),
        Member("deviceSignature", \.deviceSignature))

    package init(challenge: [UInt8], deviceSignature: SignatureBytes) {
        self.challenge = challenge
        self.deviceSignature = deviceSignature
    }
}
