package import Canonical

/// An attempt was charged, before the evaluation that it pays for.
package struct AttemptCharged: EventPayload {
    package var credentialID: CredentialID
    package var flow: FlowID
    /// The budget that was charged.
    package var device: DeviceKind
    /// The fingerprint of the device's key.
    package var fingerprint: KeyFingerprint
    /// How much of the budget is spent, this charge included.
    package var spent: Int
    /// The size of the budget.
    package var limit: Int
    /// The shares of the budget that the attempt was charged to as well; `nil` for a known device, which has none.
    package var shares: [Share]?

    /// What one app, network or tenant may spend of a budget.
    package struct Share: FlatObject, Equatable {
        /// A digest of the budget and of whose share it is: the same for each charge to the share.
        package var share: Bytes32
        /// How much of the share is spent, this charge included.
        package var spent: Int
        /// The size of the share.
        package var limit: Int

        /// The members of an element of `shares`.
        package static let members = MemberTable<Share, Void>(
            "Share", Share.init,
            Member("share", \.share), Member("spent", \.spent, .count), Member("limit", \.limit, .count))

        package init(share: Bytes32, spent: Int, limit: Int) {
            self.share = share
            self.spent = spent
            self.limit = limit
        }
    }

    package static let members = EventMembers<AttemptCharged>(
        "AttemptCharged", AttemptCharged.init,
        Member("credentialId", \.credentialID), Member("flow", \.flow), Member("device", \.device),
        Member("fingerprint", \.fingerprint), Member("spent", \.spent, .count), Member("limit", \.limit, .count),
        Member(optional: "shares", \.shares, .array(of: Share.memberKind) { _ in 1...8 }))

    package init(
        credentialID: CredentialID, flow: FlowID, device: DeviceKind, fingerprint: KeyFingerprint, spent: Int,
        limit: Int, shares: [Share]? = nil
    ) {
        self.credentialID = credentialID
        self.flow = flow
        self.device = device
        self.fingerprint = fingerprint
        self.spent = spent
        self.limit = limit
        self.shares = shares
    }
}

/// A successful flow's charges were refunded.
package struct AttemptsCleared: EventPayload {
    package var credentialID: CredentialID
    package var flow: FlowID
    package var charge: ChargeID

    package static let members = EventMembers<AttemptsCleared>(
        "AttemptsCleared", AttemptsCleared.init,
        Member("credentialId", \.credentialID), Member("flow", \.flow), Member("charge", \.charge))

    package init(credentialID: CredentialID, flow: FlowID, charge: ChargeID) {
        self.credentialID = credentialID
        self.flow = flow
        self.charge = charge
    }
}

/// A budget, or the share of it that an app or a tenant has, is spent.
package struct CredentialsLocked: EventPayload {
    package var credentialID: CredentialID
    /// The budget that is spent.
    package var device: DeviceKind
    /// When attempts are accepted again; absent if the credentials must be changed first.
    package var until: Timestamp?

    package static let members = EventMembers<CredentialsLocked>(
        "CredentialsLocked", CredentialsLocked.init,
        Member("credentialId", \.credentialID), Member("device", \.device), Member(optional: "until", \.until))

    package init(credentialID: CredentialID, device: DeviceKind, until: Timestamp? = nil) {
        self.credentialID = credentialID
        self.device = device
        self.until = until
    }
}
