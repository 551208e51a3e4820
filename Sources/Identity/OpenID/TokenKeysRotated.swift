package import Canonical

/// The operator had the keys that sign tokens replaced.
package struct TokenKeysRotated: EventPayload {
    /// The ids of the new keys: their thumbprints (RFC 7638).
    package var keyIDs: [String]
    /// When the new keys start to sign.
    package var signsFrom: Timestamp
    /// Whether the old keys were deleted, because somebody else may know them.
    package var isCompromised: Bool

    package static let members = EventMembers<TokenKeysRotated>(
        "TokenKeysRotated", TokenKeysRotated.init,
        Member("keyIds", \.keyIDs, .array(of: .keyID) { _ in 1...16 }), Member("signsFrom", \.signsFrom),
        Member("isCompromised", \.isCompromised))

    package init(keyIDs: [String], signsFrom: Timestamp, isCompromised: Bool) {
        self.keyIDs = keyIDs
        self.signsFrom = signsFrom
        self.isCompromised = isCompromised
    }
}

extension MemberKind where Value == String {
    /// The thumbprint of a key, in unpadded base64url.
    fileprivate static var keyID: MemberKind {
        .text(
            .string(format: "key-id"), "a thumbprint is expected",
            parse: { Base64URL.decode($0)?.count == 32 ? $0 : nil }, text: { $0 })
    }
}
