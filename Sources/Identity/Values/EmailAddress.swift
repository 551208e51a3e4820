/// The address that finds a user.
///
/// The rule is deliberately loose, because nothing is ever sent to the address: one `@` with something on both sides
/// and no white space. An app without addresses builds `<companyEmployeeId>@<companyName>.dummy-email`, where id and
/// name may be anything, white space and further `@` included; that form is accepted too.
///
/// Two addresses are equal when their canonical forms are the same bytes; it is shown as entered.
public struct EmailAddress: Sendable, Hashable {
    /// The most bytes an address may have (RFC 5321 §4.5.3.1.3), as entered and in canonical form.
    public static let maximumBytes = 254
    /// The most bytes of the built form: the longest id and the longest name, and what stands around them.
    public static let maximumDummyBytes =
        CompanyEmployeeID.maximumBytes + 1 + CompanyName.maximumBytes + dummySuffix.utf8.count
    /// What every built address ends with.
    public static let dummySuffix = ".dummy-email"

    /// The address as entered.
    public let entered: String
    /// The canonical form, in UTF-8: what addresses are matched by.
    public let canonical: [UInt8]
    /// What follows the last `@` of the canonical form.
    public let domain: [UInt8]

    /// Reads an address.
    ///
    /// - Throws: ``ValueError`` with `email.missing` or `email.invalid`.
    public init(_ text: String) throws(ValueError) {
        let canonical = try canonicalForm(
            text, maximumBytes: Self.maximumDummyBytes, field: "email", missing: .emailMissing, invalid: .emailInvalid)
        let at = UInt8(ascii: "@")
        guard let separator = canonical.lastIndex(of: at), separator > 0 else {
            throw ValueError(.emailInvalid, field: "email", reason: "an address has an @ with something before it")
        }
        let domain = Array(canonical[(separator + 1)...])
        guard !domain.isEmpty, !domain.elementsEqual(Self.dummySuffix.utf8) else {
            throw ValueError(.emailInvalid, field: "email", reason: "an address has something behind the @")
        }
        if !Self.isDummy(domain) {
            guard canonical.firstIndex(of: at) == separator, !canonical.contains(0x20) else {
                throw ValueError(.emailInvalid, field: "email", reason: "an address has one @ and no white space")
            }
            guard text.utf8.count <= Self.maximumBytes, canonical.count <= Self.maximumBytes else {
                throw ValueError(.emailInvalid, field: "email", reason: "the text is too long")
            }
        }
        entered = text
        self.canonical = canonical
        self.domain = domain
    }

    /// Whether the address belongs to a company by its spelling: its domain is the company's name.
    ///
    /// This proves nothing about who controls the domain; only a confirmed domain gives power.
    public func isOwned(by company: CompanyName) -> Bool { domain == company.canonical }

    /// Whether an app built the address in place of a real one.
    public var isDummy: Bool { Self.isDummy(domain) }

    private static func isDummy(_ domain: [UInt8]) -> Bool {
        domain.count > dummySuffix.utf8.count && domain.suffix(dummySuffix.utf8.count).elementsEqual(dummySuffix.utf8)
    }

    /// Whether both addresses have the same canonical form.
    public static func == (left: EmailAddress, right: EmailAddress) -> Bool { left.canonical == right.canonical }

    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}
