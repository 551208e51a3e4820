package import Canonical
package import ErrorCodes

/// A reason in free text: 1 to 1,024 bytes without NUL. It is encrypted in the log.
package struct FreeText: Sendable, Hashable {
    /// The largest number of bytes, in UTF-8.
    package static let maximumBytes = 1_024
    /// The text as entered.
    package let text: String

    /// Checks a text.
    ///
    /// - Throws: ``ValueError`` with `request.invalid` and the name of the given member.
    package init(_ text: String, field: String = "reason") throws(ValueError) {
        guard !text.isEmpty else { throw ValueError(.requestInvalid, field: field, reason: "a value is required") }
        guard text.utf8.count <= Self.maximumBytes else {
            throw ValueError(.requestInvalid, field: field, reason: "the text is too long")
        }
        guard !text.utf8.contains(0) else {
            throw ValueError(
                .requestInvalid, field: field, reason: "the text contains a character that is not accepted")
        }
        self.text = text
    }
}

/// A machine-readable reason: 1 to 64 of `a-z`, `0-9`, `_`, `.` and `-`.
package struct ReasonCode: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// Returns `nil` for other characters or another length.
    package init?(_ text: String) {
        guard (1...64).contains(text.utf8.count) else { return nil }
        let characters = "abcdefghijklmnopqrstuvwxyz0123456789_.-"
        guard text.unicodeScalars.allSatisfy(characters.unicodeScalars.contains) else { return nil }
        self.text = text
    }

    package var description: String { text }
}

extension ReasonCode: MemberValue {
    package static let memberKind = MemberKind<Self>.text(
        .string(format: "reason-code"), "a reason code is expected", parse: { Self($0) }, text: \.text)
}

package enum CancellationReason: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// An admin cancelled the employee; the cancellation can be taken back.
    case cancelled
    /// The tenant reclaimed the e-mail address; this cannot be taken back.
    case reclaimed
}

/// The reason why a session ended.
package enum SessionEnd: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// The employee logged out, lost the device key or the account, or somebody else logged in in the browser.
    case closed
    /// A refresh token was used twice.
    case refreshReused
    case expired
    /// The tenant unlinked the app that opened it.
    case appUnlinked
    /// The operator revoked the secret that opened it.
    case secretRevoked
    case endedByOwner
    /// Somebody with authority ended all of the employee's sessions.
    case endedByAdmin
    /// Too many attempts in a row failed on the known device that opened it.
    case deviceFailed
    /// The app that opened it revoked one of its tokens.
    case tokenRevoked
    /// The same person logged in again in the browser, with the same device key.
    case replaced
}

/// The reason why a provisional employee id was released.
package enum ReleaseReason: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// The account was cancelled while its id was provisional.
    case cancelled
    /// No device key was authorized within 30 days.
    case expired
    /// Somebody with an invitation for the id registered.
    case invited
}

/// The reason why an invitation ended unused.
package enum InvitationEnd: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// Somebody with authority revoked it.
    case revoked
    /// The issuer lost the authority to issue it.
    case issuerEnded
}

/// The refusal of a name, an id or an address. It never repeats the value.
package struct ValueError: Error, Sendable, Hashable, CustomStringConvertible {
    package let code: ErrorCode
    /// The name of the request's member, such as `companyName`.
    package let field: String
    /// The reason in one clause, for display to a person.
    package let reason: String

    /// The `reason` must not repeat the value.
    package init(_ code: ErrorCode, field: String, reason: String) {
        self.code = code
        self.field = field
        self.reason = reason
    }

    package var description: String { "\(code): \(reason) (\(field))" }
}
