import ErrorCodes
package import Text

/// The address that identifies a user.
///
/// The rule is deliberately loose, because most apps send nothing to the address: one `@` with something on both sides
/// and no white space. An app without addresses builds a dummy address `<companyEmployeeId>@<companyName>.dummy-email`,
/// where the id may be anything, white space and further `@` included. That form is accepted too, and
/// ``isDummy(of:in:)`` tells which employee it belongs to.
///
/// Two addresses are equal if their ``key`` is: the local part, in which only the case of ASCII does not count, and the
/// domain in A-labels. Folded text would not tell `straße.example` from `strasse.example`, which have different owners.
/// The address is shown as entered.
package struct EmailAddress: Sendable, Hashable {
    /// The largest number of bytes of an address (RFC 5321 §4.5.3.1.3), as entered and in canonical form.
    package static let maximumBytes = 254
    /// The largest number of bytes of a dummy address: the longest id, the longest name, and the text around them.
    package static let maximumDummyBytes =
        CompanyEmployeeID.maximumBytes + 1 + CompanyName.maximumBytes + dummySuffix.utf8.count
    /// The suffix of every dummy address.
    package static let dummySuffix = ".dummy-email"

    package let entered: String
    /// The folded form in UTF-8. Addresses were matched by it before ``key``, and the older claims are keyed by it.
    package let canonical: [UInt8]
    /// The part of the folded form after the last `@`.
    package let domain: [UInt8]
    /// The domain; `nil` for a dummy address, and for what is no name of an internet domain.
    package let domainName: DomainName?
    /// The bytes by which addresses are matched. Permanent: claims are keyed by them.
    ///
    /// The local part with ASCII in lower case, `@`, and the A-labels. A text that names no domain stands there in its
    /// folded form after a zero byte, which no name contains. A dummy address is such a text as a whole.
    package let key: [UInt8]

    /// Parses an address.
    ///
    /// - Throws: ``ValueError`` with `email.missing`, `email.invalid`, or `request.invalid` for invisible characters.
    package init(_ text: String) throws(ValueError) {
        try checkEntered(text, field: "email")
        try self.init(recorded: text)
        // A trailing dot, or an ideographic full stop, would be another spelling of a domain that a company has confirmed;
        // and what looks like an A-label and is none would be shown as some name.
        guard isDummy || (Self.hasPlainLabels(domain) && (domainName != nil || !Self.hasALabel(domain))) else {
            throw ValueError(.emailInvalid, field: "email", reason: "the part after the @ is not a domain name")
        }
    }

    /// Parses an address from the log, which was checked when it was entered.
    ///
    /// - Throws: ``ValueError`` with `email.missing` or `email.invalid`.
    package init(recorded text: String) throws(ValueError) {
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
        let parts = Self.isDummy(domain) ? nil : Self.parts(of: text)
        domainName = Self.hasPlainLabels(domain) ? parts.flatMap { DomainName($0.domain) } : nil
        guard let parts else {
            key = [0] + canonical
            return
        }
        let local = parts.local.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        key = local + [at] + (domainName.map { Array($0.ascii.utf8) } ?? [0] + domain)
    }

    /// The part before the `@` as entered; `nil` for a dummy address. The `@` may be of full width.
    package var localPart: String? { isDummy ? nil : Self.parts(of: entered)?.local }

    /// Whether the address's domain is the tenant's name.
    ///
    /// This does not prove who controls the domain; only a confirmed domain gives authority over the address.
    package func isOwned(by company: CompanyName) -> Bool {
        guard let domainName else { return company.domainName == nil && domain == company.canonical }
        return domainName == company.domainName
    }

    /// Whether the address's domain is one of those that a tenant has confirmed, in A-labels.
    package func isIn(_ confirmedDomains: Set<String>) -> Bool {
        domainName.map { confirmedDomains.contains($0.ascii) } ?? false
    }

    /// The folded forms of the spellings of this address, each once. The slots of an M-Pin user id are keyed by one of
    /// them.
    package var foldings: [[UInt8]] {
        let prefix = Array(canonical.dropLast(domain.count))
        var forms = [canonical]
        for folding in domainName?.foldings ?? [] {
            let form = prefix + Array(folding.utf8)
            if !forms.contains(form) { forms.append(form) }
        }
        return forms
    }

    /// Whether the address is a dummy address, which an app built in place of a real one.
    package var isDummy: Bool { Self.isDummy(domain) }

    /// Whether the address is the dummy address of an employee of a tenant.
    ///
    /// A tenant whose name contains `@` has no dummy addresses: they would be those of another tenant.
    package func isDummy(of employee: CompanyEmployeeID, in company: CompanyName) -> Bool {
        let at = UInt8(ascii: "@")
        guard isDummy, !company.canonical.contains(at) else { return false }
        return canonical == employee.canonical + [at] + company.canonical + Array(Self.dummySuffix.utf8)
    }

    /// Refuses a dummy address that belongs to another employee.
    ///
    /// - Throws: ``ValueError`` with `email.invalid`.
    package func checkScope(of employee: CompanyEmployeeID, in company: CompanyName) throws(ValueError) {
        guard !isDummy || isDummy(of: employee, in: company) else {
            throw ValueError(
                .emailInvalid, field: "email",
                reason: "an address in .dummy-email is <companyEmployeeId>@<companyName>.dummy-email of the employee")
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Whether no label of a folded domain is empty, and ASCII dots alone separate them.
    private static func hasPlainLabels(_ domain: [UInt8]) -> Bool {
        let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { !$0.isEmpty } && !text(domain).contains("。")
    }

    private static func hasALabel(_ domain: [UInt8]) -> Bool {
        domain.split(separator: UInt8(ascii: ".")).contains { $0.starts(with: "xn--".utf8) }
    }

    /// The parts before and after the one character that folds to `@`, without the white space around the text.
    private static func parts(of text: String) -> (local: String, domain: String)? {
        let separators: Set<Unicode.Scalar> = ["@", "\u{FF20}", "\u{FE6B}"]
        let scalars = text.unicodeScalars
        guard let separator = scalars.lastIndex(where: separators.contains) else { return nil }
        let local = scalars[..<separator].drop(while: TextRule.isWhiteSpace)
        return (String(String.UnicodeScalarView(local)), String(scalars[scalars.index(after: separator)...]))
    }

    private static func isDummy(_ domain: [UInt8]) -> Bool {
        domain.count > dummySuffix.utf8.count && domain.suffix(dummySuffix.utf8.count).elementsEqual(dummySuffix.utf8)
    }

    /// Whether both addresses have the same ``key``.
    package static func == (left: EmailAddress, right: EmailAddress) -> Bool { left.key == right.key }

    /// Hashes the ``key``.
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
