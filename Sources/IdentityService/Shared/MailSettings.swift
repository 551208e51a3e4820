import ErrorCodes
import Identity
import Text

/// What the service needs to know to send mails: its own address, and that under which people reach it.
package struct MailSettings: Sendable {
    /// The origin of the links in mails, such as `https://id.example`.
    package let publicURL: String
    /// The address that mails come from.
    package let sender: String
    /// The name that people see beside it; `nil` for none.
    package let senderName: String?
    /// The domain of the sender, which the ids of mails end with.
    package let domain: String
    package var brand = Brand()

    /// Returns `nil` if the sender could not be in a header or the origin has no scheme `http` or `https`.
    ///
    /// - Parameter sender: An address, or a name with the address in angle brackets.
    package init?(publicURL: String, sender: String) {
        guard let (name, address) = Self.sender(sender) else { return nil }
        let isOrigin = publicURL.hasPrefix("https://") || publicURL.hasPrefix("http://")
        guard isOrigin, publicURL.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C }) else {
            return nil
        }
        self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        self.sender = address.text
        senderName = name
        domain = address.domain
    }

    /// Whether a text names whom mails can come from.
    package static func isSender(_ text: String) -> Bool { sender(text) != nil }

    /// Reads `address`, `<address>`, `Name <address>` or `"Name" <address>`. No name has line ends or other controls.
    private static func sender(_ entered: String) -> (name: String?, address: DeliverableAddress)? {
        let text = trimmed(entered[...])
        guard text.hasSuffix(">"), let bracket = text.lastIndex(of: "<") else {
            return DeliverableAddress(String(text)).map { (nil, $0) }
        }
        guard let address = DeliverableAddress(String(text[text.index(after: bracket)...].dropLast())) else {
            return nil
        }
        var name = String(trimmed(text[..<bracket]))
        if name.count > 1, name.hasPrefix("\""), name.hasSuffix("\"") {
            name = String(name.dropFirst().dropLast()).replacing(/\\(.)/) { $0.output.1 }
        }
        let hidden: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        guard name.count <= longestName,
            !name.unicodeScalars.contains(where: { hidden.contains($0.properties.generalCategory) })
        else { return nil }
        return (name.isEmpty ? nil : name, address)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var rest = text.drop { $0.isWhitespace }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }

    /// The longest name, in characters.
    private static let longestName = 64
}

/// An address that a mail may be sent to: printable ASCII with one `@`, and nothing that ends a header or an envelope.
///
/// An internationalized domain stands there in A-labels. A local part beyond ASCII gets no mail (RFC 6531).
struct DeliverableAddress: Sendable, Equatable {
    /// The largest number of bytes (RFC 5321 §4.5.3.1.3).
    static let maximumBytes = 254
    let text: String
    let domain: String

    /// Returns `nil` for any other text. No such address is ever written into a mail.
    init?(_ entered: String) {
        guard let text = Self.ascii(entered) else { return nil }
        guard (3...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].utf8.allSatisfy(Self.isDomain) else { return nil }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") }) else { return nil }
        self.text = text
        domain = String(parts[1])
    }

    /// An address with its domain in A-labels; `nil` if it has other characters beyond ASCII.
    private static func ascii(_ entered: String) -> String? {
        if entered.utf8.allSatisfy({ $0 < 0x80 }) { return entered }
        guard let address = try? EmailAddress(recorded: entered), let domain = address.domainName,
            let local = address.localPart
        else { return nil }
        return local.utf8.allSatisfy { $0 < 0x80 } ? "\(local)@\(domain.ascii)" : nil
    }

    /// The characters of a dot-atom (RFC 5322 §3.2.3), which need no quotes, and the `@`.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        isDomain(byte) || "!#$%&'*+/=?^_`{|}~@".utf8.contains(byte)
    }

    private static func isDomain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension ServiceContext {
    /// How mails are sent; `nil` if none can be sent.
    package var mail: MailSettings? { settings.mail }

    /// Refuses a use case that needs a mail if none can be sent.
    ///
    /// - Throws: `mail.unavailable`.
    @discardableResult
    package func requireMail() throws(ServiceError) -> MailSettings {
        guard let mail else { throw ServiceError(.mailUnavailable) }
        return mail
    }
}
