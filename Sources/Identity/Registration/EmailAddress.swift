/// The address that identifies a user.
///
/// The rule is deliberately loose, because nothing is ever sent to the address: one `@` with something on both sides
/// and no white space. An app without addresses builds a dummy address `<companyEmployeeId>@<companyName>.dummy-email`,
/// where the id may be anything, white space and further `@` included. That form is accepted too, and
/// ``isDummy(of:in:)`` tells which employee it belongs to.
///
/// Two addresses are equal if their canonical forms are the same bytes. The address is shown as entered.
public struct EmailAddress: Sendable, Hashable {
    /// The largest number of bytes of an address (RFC 5321 §4.5.3.1.3), as entered and in canonical form.
    public static let maximumBytes = 254
    /// The largest number of bytes of a dummy address: the longest id, the longest name, and the text around them.
    public static let maximumDummyBytes =
        CompanyEmployeeID.maximumBytes + 1 + CompanyName.maximumBytes + dummySuffix.utf8.count
    /// The suffix of every dummy address.
    public static let dummySuffix = ".dummy-email"

    /// The address as entered.
    public let entered: String
    /// The canonical form in UTF-8, by which addresses are matched.
    public let canonical: [UInt8]
    /// The part of the canonical form after the last `@`.
    public let domain: [UInt8]

    /// Parses an address.
    ///
    /// - Throws: ``ValueError`` with `email.missing`, `email.invalid`, or `request.invalid` for invisible characters.
    public init(_ text: String) throws(ValueError) {
        try checkEntered(text, field: "email")
        try self.init(recorded: text)
        // A trailing dot, or an ideographic full stop, would be another spelling of a domain that a company has confirmed.
        let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard isDummy || (labels.allSatisfy { !$0.isEmpty } && !String(decoding: domain, as: UTF8.self).contains("。"))
        else {
            throw ValueError(.emailInvalid, field: "email", reason: "the part after the @ is not a domain name")
        }
    }

    /// Parses an address from the log, which may be older than the refusal of invisible characters.
    ///
    /// - Throws: ``ValueError`` with `email.missing` or `email.invalid`.
    public init(recorded text: String) throws(ValueError) {
        let canonical = try canonicalForm(
            text, maximumBytes: Self.maximumDummyBytes, field: "email", missing: .emailMissing, invalid: .emailInvalid)
        let at = UInt8(ascii: "@")
        guard let separator = canonical.lastIndex(of: at), separator > 0 else {
            throw ValueError(.emailInvalid, field: "email", reason: "an address needs an @ with something before it")
        }
        let domain = Array(canonical[(separator + 1)...])
        guard !domain.isEmpty, !domain.elementsEqual(Self.dummySuffix.utf8) else {
            throw ValueError(.emailInvalid, field: "email", reason: "an address needs something after the @")
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

    /// Whether the address's domain is the tenant's name.
    ///
    /// This does not prove who controls the domain; only a confirmed domain gives authority over the address.
    public func isOwned(by company: CompanyName) -> Bool { domain == company.canonical }

    /// Whether the address is a dummy address, which an app built in place of a real one.
    public var isDummy: Bool { Self.isDummy(domain) }

    /// Whether the address is the dummy address of an employee of a tenant.
    ///
    /// A tenant whose name contains `@` has no dummy addresses: they would be those of another tenant.
    public func isDummy(of employee: CompanyEmployeeID, in company: CompanyName) -> Bool {
        let at = UInt8(ascii: "@")
        guard isDummy, !company.canonical.contains(at) else { return false }
        return canonical == employee.canonical + [at] + company.canonical + Array(Self.dummySuffix.utf8)
    }

    /// Refuses a dummy address that belongs to another employee.
    ///
    /// - Throws: ``ValueError`` with `email.invalid`.
    public func checkScope(of employee: CompanyEmployeeID, in company: CompanyName) throws(ValueError) {
        guard !isDummy || isDummy(of: employee, in: company) else {
            throw ValueError(
                .emailInvalid, field: "email",
                reason: "an address in .dummy-email is <companyEmployeeId>@<companyName>.dummy-email of the employee")
        }
    }

    private static func isDummy(_ domain: [UInt8]) -> Bool {
        domain.count > dummySuffix.utf8.count && domain.suffix(dummySuffix.utf8.count).elementsEqual(dummySuffix.utf8)
    }

    /// Whether both addresses have the same canonical form.
    public static func == (left: EmailAddress, right: EmailAddress) -> Bool { left.canonical == right.canonical }

    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}
