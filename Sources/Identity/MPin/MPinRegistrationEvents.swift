public import Canonical

/// The registration of an M-Pin identity started: one user id on one device.
public struct MPinRegistrationStarted: EventPayload {
    /// The identity.
    public var identityID: MPinIdentityID
    /// The SHA-256 of the M-Pin ID, whose 16 random bytes salt it. The M-Pin ID itself contains the user id and is
    /// never recorded.
    public var mpinIDHash: Bytes32
    /// The user id as entered, encrypted under the identity's own key.
    public var userID: Personal
    /// The name of the device, encrypted under the identity's own key.
    public var deviceName: Personal?
    /// How the identity is to be verified, as the policy said at the start.
    public var verification: MPinVerificationMode
    /// When the registration expires unless it is verified before.
    public var expiresAt: Timestamp

    /// The members as the log has them.
    public static let members = EventMembers<MPinRegistrationStarted>(
        "MPinRegistrationStarted", MPinRegistrationStarted.init,
        Member("identityId", \.identityID), Member("mpinIdHash", \.mpinIDHash), Member("userId", \.userID),
        Member(optional: "deviceName", \.deviceName), Member("verification", \.verification),
        Member("expiresAt", \.expiresAt))
}

/// The registration of an identity started again, unverified. Counts of failed attempts stay.
public struct MPinRegistrationRestarted: EventPayload {
    /// When the registration expires unless it is verified before.
    public var expiresAt: Timestamp

    /// The members as the log has them.
    public static let members = EventMembers<MPinRegistrationRestarted>(
        "MPinRegistrationRestarted", MPinRegistrationRestarted.init,
        Member("expiresAt", \.expiresAt))
}

/// An identity was linked to an employee's account, which only a device key of that account decides.
public struct MPinLinked: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The device key that decided: the identity belongs to that device.
    public var fingerprint: KeyFingerprint
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<MPinLinked>(
        "MPinLinked", MPinLinked.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint), Member("by", \.by))
}

/// An identity was verified, and a client key may be issued for it.
public struct MPinIdentityVerified: EventPayload {
    /// How it was verified.
    public var method: MPinVerificationMethod
    /// When the registration expires unless it is completed before.
    public var issueUntil: Timestamp
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<MPinIdentityVerified>(
        "MPinIdentityVerified", MPinIdentityVerified.init,
        Member("method", \.method), Member("issueUntil", \.issueUntil), Member("by", \.by))
}

/// The service issued its share of the identity's client key. Repetitions return the same share without an event.
public struct MPinClientKeyIssued: EventPayload {
    /// The suite that the key belongs to.
    public var suite: MPinKeySuite
    /// The epoch of the master secrets that the key derives from.
    public var epoch: Int
    /// The push identifier of the device, encrypted under the identity's own key.
    public var pushIdentifier: Personal?

    /// The members as the log has them.
    public static let members = EventMembers<MPinClientKeyIssued>(
        "MPinClientKeyIssued", MPinClientKeyIssued.init,
        Member("suite", \.suite), Member("epoch", \.epoch, .count),
        Member(optional: "pushIdentifier", \.pushIdentifier))
}

/// The client proved its token for the first time, which completes the registration.
public struct MPinRegistered: EventPayload {

    /// The members as the log has them.
    public static let members = EventMembers<MPinRegistered>(
        "MPinRegistered", MPinRegistered.init)
}
