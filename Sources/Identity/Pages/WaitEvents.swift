import Canonical

/// A browser that waited for the decision about its device key opened a session, which the device signed for.
package struct WaitEnded: EventPayload {
    /// The flow that ended in waiting. It opens one session.
    package var flow: FlowID
    package var employeeID: EmployeeID
    /// The session, which is opened in the same append.
    package var sessionID: SessionID
    /// The public half of the device key.
    package var key: PublicKeyBytes
    /// The challenge of purpose `wait`: the exact bytes that were signed.
    package var challenge: [UInt8]
    /// The device's signature over the challenge.
    package var deviceSignature: SignatureBytes

    package static let members = EventMembers<WaitEnded>(
        "WaitEnded", WaitEnded.init,
        Member("flow", \.flow), Member("employeeId", \.employeeID), Member("sessionId", \.sessionID),
        Member("key", \.key), Member("challenge", \.challenge, .bytes(EventLimits.challenge)),
        Member("deviceSignature", \.deviceSignature))

    package init(
        flow: FlowID, employeeID: EmployeeID, sessionID: SessionID, key: PublicKeyBytes, challenge: [UInt8],
        deviceSignature: SignatureBytes
    ) {
        self.flow = flow
        self.employeeID = employeeID
        self.sessionID = sessionID
        self.key = key
        self.challenge = challenge
        self.deviceSignature = deviceSignature
    }
}

/// Somebody who reads the mails of the user confirmed a device key, which the pages app then vouched for.
package struct DeviceMailConfirmed: EventPayload {
    /// The flow in which the device proved possession of the key.
    package var flow: FlowID
    package var employeeID: EmployeeID
    /// The fingerprint of the device key. It is authorized in the same append.
    package var fingerprint: KeyFingerprint
    /// The position of the event that has the address, in the user's directory.
    package var address: Int64

    package static let members = EventMembers<DeviceMailConfirmed>(
        "DeviceMailConfirmed", DeviceMailConfirmed.init,
        Member("flow", \.flow), Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint),
        Member("address", \.address, .position))

    package init(flow: FlowID, employeeID: EmployeeID, fingerprint: KeyFingerprint, address: Int64) {
        self.flow = flow
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.address = address
    }
}
