package import Canonical
package import FoundationEssentials

/// The subject of ids of mails.
package enum MailSubject {}

/// The id of a mail, which is also part of its `Message-ID`.
package typealias MailID = Identifier<MailSubject>

/// What a mail is about. It chooses the text.
package enum MailKind: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// A link that verifies the address of a user.
    case verify
    /// A link that verifies an M-Pin identity.
    case activation
    /// A notice that a recovery of the user's credentials was opened.
    case recoveryOpened
    /// A notice that a device key was authorized.
    case deviceAdded
    /// A notice that the employee is an admin now.
    case adminAppointed
    /// A link that opens the return of the security admin.
    case returnRequested
    /// A notice that a return was opened, with a link that cancels it.
    case returnOpened
    /// A reminder that a return is open, with the same link.
    case returnReminder
    /// A notice that a return was completed.
    case returnCompleted
    /// An invitation, with the link under which the person registers.
    case invitation
    /// A link that confirms a new device that waits.
    case deviceConfirmation
    /// A notice that somebody proved the secret of the address on a new device.
    case addressProved
    /// A code by which somebody claims an address that another user holds.
    case addressClaim
    /// A code by which somebody proves the mailbox of the address that they change to.
    case addressChange
    /// A notice that somebody wants an address that the recipient has.
    case addressTaken
    /// A notice to the former address that it was changed, perhaps with a link that undoes it.
    case addressChanged
    /// A notice that the first device of an account was approved.
    case approved
    /// A notice that an admin closed the account.
    case removed
    /// A notice that the user's answers and passphrase were replaced.
    case credentialsChanged
    /// The first mail to somebody who confirmed the address.
    case welcome
    /// A notice to the owner and to admins that there may be a copy of a passkey.
    case passkeyCopied
    /// A notice that a synced passkey logged in in a browser that the account was not used in before.
    case passkeyElsewhere
    /// A notice to an admin that somebody waits for a decision, with a link to the list.
    case somebodyWaits
}

/// Whom a mail goes to. The address is looked up when the mail is sent.
package enum MailRecipient: Sendable, Hashable {
    /// An M-Pin identity, whose user id is the address.
    case identity(MPinIdentityID)
    /// A user with an address.
    case user(UserID)
    /// An invitation that names an address.
    case invitation(InvitationID)

    /// The kind of recipient, as events and rows have it.
    package var kind: String {
        switch self {
        case .identity: "identity"
        case .user: "user"
        case .invitation: "invitation"
        }
    }

    /// The id of the recipient, which is also the id of the key of the address.
    package var uuid: UUID {
        switch self {
        case .identity(let id): id.uuid
        case .user(let id): id.uuid
        case .invitation(let id): id.uuid
        }
    }

    /// Reads the two parts; `nil` for an unknown kind.
    package init?(kind: String, uuid: UUID) {
        switch kind {
        case "identity": self = .identity(MPinIdentityID(uuid))
        case "user": self = .user(UserID(uuid))
        case "invitation": self = .invitation(InvitationID(uuid))
        default: return nil
        }
    }

}

extension MailRecipient: MemberValue {
    package static let memberKind = MemberKind<Self>(.object(name: "MailRecipient")) {
        (json, place) throws(JSONError) in
        var reader = try ObjectReader(json, at: place.pointer)
        guard let recipient = Self(kind: try reader.string("kind"), uuid: try reader.uuid("id")) else {
            throw reader.invalid("kind", "another word is expected")
        }
        try reader.finish()
        return recipient
    } write: { (recipient, _) in
        ["kind": .string(recipient.kind), "id": .uuid(recipient.uuid)]
    }
}

/// A language of mails and of the pages behind their links.
package enum MailLanguage: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// English, which everybody gets whose languages are unknown.
    case english = "en"
    case german = "de"
    case french = "fr"

    /// Returns the first of some language tags (RFC 5646) that there is a text in, such as `de` for `de-CH`.
    package static func choose(_ tags: [String]) -> MailLanguage? {
        tags.lazy.compactMap { tag in
            tag.split(separator: "-").first.flatMap { MailLanguage(rawValue: $0.lowercased()) }
        }.first
    }
}
