/// A user name that the pages make: the id of an employee without `@`, from the local part of an address.
///
/// Only an address that the flow confirmed, or that an invitation names, makes one. The API takes any id.
package struct UserName: Sendable, Hashable {
    /// The largest number of characters.
    static let maximumLength = 32

    /// Names that would speak for the company or the service. Pages make none of them.
    package static let reserved: Set<String> = [
        "abuse", "accounting", "accounts", "admin", "administrator", "all", "anonymous", "billing", "board", "boss",
        "ceo", "cfo", "cio", "ciso", "compliance", "contact", "cto", "daemon", "everyone", "finance", "guest", "help",
        "helpdesk", "hostmaster", "hr", "info", "it", "legal", "mail", "management", "me", "nobody", "noreply",
        "office", "operator", "owner", "payroll", "postmaster", "privacy", "root", "sales", "security",
        "securityadmin", "service", "staff", "superuser", "support", "sysadmin", "system", "team", "tenure", "test",
        "user", "webmaster",
    ]

    /// 2 to 32 of `a-z`, `0-9`, `.`, `_` and `-`, beginning and ending with a letter or digit.
    package let text: String

    /// Makes a name; `nil` for an address from which none can be made, or a reserved one. The page then asks.
    package init?(from address: EmailAddress) {
        guard let local = address.localPart else { return nil }
        // What follows a plus sign only sorts mail.
        let kept = local.prefix { $0 != "+" }.lowercased()
        guard kept.utf8.count <= Self.maximumLength, kept.utf8.allSatisfy(Self.isAccepted) else { return nil }
        let edge = { (byte: UInt8) in !Self.isLetterOrDigit(byte) }
        let bytes = Array(kept.utf8.drop(while: edge).reversed().drop(while: edge).reversed())
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.count >= 2, !Self.isReserved(text) else { return nil }
        self.text = text
    }

    /// The name with two digits, for one that is taken or was ever used.
    ///
    /// - Parameter number: A random number; its last two digits count.
    package func numbered(_ number: UInt8) -> String {
        let digits = String(number % 100)
        return text + (digits.utf8.count == 1 ? "0" : "") + digits
    }

    /// Whether a name is a reserved one, however it is separated or numbered.
    package static func isReserved(_ name: String) -> Bool {
        let letters = name.lowercased().unicodeScalars.filter { ("a"..."z").contains($0) }
        return reserved.contains(String(String.UnicodeScalarView(letters)))
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isAccepted(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
    }
}
