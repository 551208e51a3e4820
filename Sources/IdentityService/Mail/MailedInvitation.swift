import Canonical
import FoundationEssentials
import Identity
import Keys

/// The code in the link of a mailed invitation: the invitation's id, and the code of a mail link.
///
/// The token that the issuer sees is stored nowhere, so the program that sends the mail cannot know it. This code takes
/// its place, and it is made again whenever the mail is sent.
struct MailedInvitation: Sendable, Redacted {
    private static let kind = "invitation"
    private static let byteCount = 48

    let id: InvitationID
    private let code: [UInt8]

    /// Makes the code of an invitation.
    ///
    /// - Parameter end: When the invitation expires.
    init(_ id: InvitationID, until end: Timestamp, ring: KeyRing) {
        self.id = id
        code = ring.mailLinkCode(kind: Self.kind, recipient: id.uuid, expires: Self.seconds(end))
    }

    /// Parses a code as typed, ignoring white space; `nil` if it is malformed.
    init?(text: String) {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text.filter { !$0.isWhitespace }),
            bytes.count == Self.byteCount, let id = UUID(bytes: Array(bytes.prefix(16)))
        else { return nil }
        self.id = InvitationID(id)
        code = Array(bytes.dropFirst(16))
    }

    /// The code as 64 characters of base64url.
    var text: String { Base64URL.encode(id.uuid.bytes + code) }

    /// Whether this service made the code for an invitation with this end.
    func isRight(until end: Timestamp, ring: KeyRing) -> Bool {
        ring.isMailLinkCode(code, kind: Self.kind, recipient: id.uuid, expires: Self.seconds(end))
    }

    private static func seconds(_ time: Timestamp) -> Int64 { time.microseconds / 1_000_000 }
}
