package import Canonical
import Foundation
package import FoundationEssentials
import Keys

/// The link in a mail: whom it is for, when it expires, and the code that proves that the mail was read.
///
/// Nothing is stored for a link. A second use finds what the first one did.
package struct MailLink: Sendable {
    /// What the link is for; the code of one kind is useless for another.
    package enum Kind: String, Sendable {
        /// To verify the address of a user.
        case verify
        /// To verify an M-Pin identity.
        case activation
        /// To open the return of a security admin.
        case returnOpening = "return"
        /// To cancel it.
        case returnCancellation = "return-cancellation"
        /// To confirm a device that waits. It is also about the fingerprint of the device key.
        case device
        /// To undo a change of an address. It is also about the position of the change.
        case addressUndo = "address-undo"
        /// Not mailed: what a page gets for the right code of a change. It is also about the mail and the session.
        case addressProof = "address-proof"
        /// To stop the mails to an admin about who waits. It is also about the tenant.
        case waitingStop = "waiting-stop"
    }

    /// Whether a link may be used.
    package enum Standing: Sendable, Equatable {
        /// It may be used.
        case valid
        /// Its time is over.
        case expired
        /// This service did not make it.
        case invalid
    }

    /// The kind and what the link is about besides, as the code covers them.
    private let kind: String
    /// The identity, the user, the return or the flow.
    package let recipient: UUID
    private let expires: Int64
    private let code: [UInt8]

    /// Reads the parts of a link as texts; `nil` if one is malformed.
    ///
    /// - Parameter about: The fingerprint of the device key that the link is about; empty for none.
    package init?(_ kind: Kind, recipient: String, expires: String, key: String, about: [UInt8] = []) {
        guard let id = UUID(entered: recipient), let code = Hex.decode(key), code.count == 32,
            let seconds = Int64(expires), seconds > 0, String(seconds) == expires
        else { return nil }
        (self.kind, self.recipient, self.expires, self.code) = (kind.name(about), id, seconds, code)
    }

    /// The link of a mail that is being sent.
    init(_ kind: Kind, recipient: UUID, until end: Timestamp, about: [UInt8] = [], ring: KeyRing) {
        self.kind = kind.name(about)
        self.recipient = recipient
        expires = end.microseconds / 1_000_000
        code = ring.mailLinkCode(kind: self.kind, recipient: recipient, expires: expires)
    }

    /// What a link that undoes a change of an address is about besides the user: the position of the change.
    static func about(_ change: Int64) -> [UInt8] { Array("\(change)".utf8) }

    /// Checks code and expiry. The code is compared in constant time, and before the expiry: so an expired link of
    /// somebody else's making is an invalid one.
    func standing(_ ring: KeyRing, at time: Timestamp) -> Standing {
        guard ring.isMailLinkCode(code, kind: kind, recipient: recipient, expires: expires) else {
            return .invalid
        }
        return time < Timestamp(microseconds: expires.multipliedReportingOverflow(by: 1_000_000).partialValue)
            ? .valid : .expired
    }

    /// The query of the URL.
    var query: String { "expires=\(expires)&key=\(Hex.encode(code))" }

    /// Encodes a path segment: everything but the unreserved characters (RFC 3986 §2.3).
    static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

extension MailLink.Kind {
    /// The name that the code of a link covers.
    fileprivate func name(_ about: [UInt8]) -> String { about.isEmpty ? rawValue : "\(rawValue)/\(Hex.encode(about))" }
}

extension ServiceContext {
    /// Whether a link may be used at a time.
    package func standing(of link: MailLink, at time: Timestamp) -> MailLink.Standing {
        link.standing(ring, at: time)
    }
}
