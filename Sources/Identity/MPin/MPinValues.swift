import Canonical
import ErrorCodes

/// How an M-Pin identity was verified.
package enum MPinVerificationMethod: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// By the link in a mail to the user id.
    case email
    /// By an activation code.
    case code
    /// By an app with AUTHORIZATION or by an admin.
    case application
    /// By the device of the employee whom the identity is linked to.
    case device
}

/// The cryptographic suite of a client key. The name is stored with every issued key.
package enum MPinKeySuite: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// M-Pin over BLS12-381 with the map and the hash of Apache's AMCL 3.
    case bls12381AMCL3SHA256 = "BLS12381-AMCL3-SHA256"
}

/// The limit that blocked an identity.
package enum MPinBlockReason: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// As many consecutive wrong proofs as the policy allows.
    case failures
    /// As many wrong proofs as an identity may ever have.
    case lifetime
}

/// The reason why an identity was revoked.
package enum MPinRevocationReason: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// Somebody with authority revoked it.
    case revoked
    /// The tenant reclaimed the address that is its user id.
    case reclaimed
    /// It gave way to another one of its user id: it was not verified, or the device key that it was linked to had ended.
    case superseded
    /// Its registration expired unfinished.
    case expired
    /// The address that is its user id gave way to somebody who proved the mailbox.
    case gaveWay
}

/// The user id of an M-Pin identity: an e-mail address or any name, 1 to 256 bytes.
///
/// Two user ids are equal if their canonical forms are the same bytes, and those that are addresses if the addresses
/// are equal. The user id is shown as entered.
package struct MPinUserID: Sendable, Hashable {
    /// The largest number of bytes, in UTF-8, as entered and in canonical form.
    package static let maximumBytes = 256
    package let entered: String
    /// The canonical form in UTF-8. Claims are keyed by it, so addresses that fold to one text share their places.
    package let canonical: [UInt8]
    /// The address that the user id is, if it is one.
    package let address: EmailAddress?

    /// Parses a user id.
    ///
    /// - Throws: ``ValueError`` with `request.invalid`.
    package init(_ text: String) throws(ValueError) {
        try checkEntered(text, field: "userId")
        canonical = try canonicalForm(
            text, maximumBytes: Self.maximumBytes, field: "userId", missing: .requestInvalid, invalid: .requestInvalid)
        entered = text
        address = try? EmailAddress(recorded: text)
    }

    /// The bytes by which user ids are matched.
    package var key: [UInt8] { address?.key ?? canonical }

    /// The text of the form by which user ids are matched, for comparison with user ids from elsewhere.
    ///
    /// An address has A-labels after the `@`. What names no internet domain is folded as a whole.
    package var folded: String {
        let bytes = address?.domainName == nil ? canonical : key
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the user id is the address or the employee id of an account.
    package func names(_ email: EmailAddress?, _ employeeID: CompanyEmployeeID?) -> Bool {
        (address != nil && address == email) || canonical == employeeID?.canonical
    }

    /// Whether both have the same ``key``.
    package static func == (left: MPinUserID, right: MPinUserID) -> Bool { left.key == right.key }

    /// Hashes the ``key``.
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A name or an identifier that a device gives for itself: 1 to 256 bytes without invisible characters.
package struct MPinDeviceText: Sendable, Hashable {
    /// The largest number of bytes, in UTF-8.
    package static let maximumBytes = 256
    /// The text as entered.
    package let text: String

    /// Checks a text.
    ///
    /// - Throws: ``ValueError`` with `request.invalid` and the name of the given member.
    package init(_ text: String, field: String) throws(ValueError) {
        try checkEntered(text, field: field)
        guard (1...Self.maximumBytes).contains(text.utf8.count) else {
            throw ValueError(.requestInvalid, field: field, reason: "1 to 256 bytes are accepted")
        }
        self.text = text
    }
}
