import Crypto

/// What a passkey was registered with, and what each of its assertions is compared with.
public struct PasskeyIdentity: Sendable, Hashable {
    /// The host name under which it was made.
    public var rpID: String
    /// Its id, 1 to 1,023 bytes.
    public var credentialID: [UInt8]
    /// BE at its registration: whether it may be copied to other machines.
    public var backupEligible: Bool

    /// The facts of a registration.
    public init(rpID: String, credentialID: [UInt8], backupEligible: Bool) {
        (self.rpID, self.credentialID, self.backupEligible) = (rpID, credentialID, backupEligible)
    }

    /// Whether a text is a host name in the spelling of a browser: 1 to 253 characters a–z 0–9 `.` `-`, in labels of 1
    /// to 63, of which the last is no number. An IP address is none.
    public static func isRelyingPartyID(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count)
                    && label.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
            } && !labels[labels.count - 1].allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Refuses data of another host name, or data that says otherwise than the registration whether the key may be copied.
    func require(_ data: AuthenticatorData) throws(CredentialsError) {
        guard data.rpIDHash == Array(SHA256.hash(data: Array(rpID.utf8))) else {
            throw CredentialsError(.originUnknown, field: "rpId")
        }
        guard data.flags.contains(.backupEligible) == backupEligible else {
            throw CredentialsError(.evidenceInvalid, field: "flags")
        }
    }
}
