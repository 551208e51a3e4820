import Canonical

/// Somebody proved the secret of an address, and was told which accounts belong to it.
///
/// A log-in by company and id leaves its proof in the tenant's ledger. Here the person may stop before an account is
/// picked, so the directory has this event, in the stream of the charge that the proof cost.
package struct AddressProved: EventPayload {
    package var userID: UserID
    package var credentialID: CredentialID
    package var flow: FlowID
    /// Whether the device had a key in force of an account that was offered.
    package var device: DeviceKind
    /// The fingerprint of the device's key.
    package var fingerprint: KeyFingerprint

    package static let members = EventMembers<AddressProved>(
        "AddressProved", AddressProved.init,
        Member("userId", \.userID), Member("credentialId", \.credentialID), Member("flow", \.flow),
        Member("device", \.device), Member("fingerprint", \.fingerprint))

    package init(
        userID: UserID, credentialID: CredentialID, flow: FlowID, device: DeviceKind, fingerprint: KeyFingerprint
    ) {
        self.userID = userID
        self.credentialID = credentialID
        self.flow = flow
        self.device = device
        self.fingerprint = fingerprint
    }
}
