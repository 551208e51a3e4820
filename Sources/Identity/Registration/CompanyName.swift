import ErrorCodes
package import Text

/// The name that identifies a tenant: a domain, an internal name or a phone number, all treated alike.
///
/// Two names are equal if their canonical forms are the same bytes. The name is shown as entered.
package struct CompanyName: Sendable, Hashable {
    /// The largest number of bytes, in UTF-8, as entered and in canonical form.
    package static let maximumBytes = 256
    package let entered: String
    /// The canonical form in UTF-8, by which names are matched.
    package let canonical: [UInt8]

    /// Parses a name.
    ///
    /// - Throws: ``ValueError`` with `company.name_missing`, or `request.invalid` for a text that is too long or
    ///   contains characters that names cannot have.
    package init(_ text: String) throws(ValueError) {
        try checkEntered(text, field: "companyName")
        try self.init(recorded: text)
        try checkSegment(canonical, field: "companyName")
    }

    /// Parses a name from the log, which was checked when it was entered.
    ///
    /// - Throws: ``ValueError`` with `company.name_missing` or `request.invalid`.
    package init(recorded text: String) throws(ValueError) {
        canonical = try canonicalForm(
            text, maximumBytes: Self.maximumBytes, field: "companyName", missing: .companyNameMissing,
            invalid: .requestInvalid)
        entered = text
    }

    package var canonicalText: String { String(decoding: canonical, as: UTF8.self) }

    /// The internet domain that the name is, as entered; `nil` for other names. Names that fold to one text are one
    /// tenant's, and may be different domains.
    package var domainName: DomainName? {
        guard let domain = DomainName(entered) else { return nil }
        // An ideographic full stop makes another tenant's name, but no other domain.
        return domain.foldings.contains { $0.utf8.elementsEqual(canonical) } ? domain : nil
    }

    /// Whether both names have the same canonical form.
    package static func == (left: CompanyName, right: CompanyName) -> Bool { left.canonical == right.canonical }

    /// Hashes the canonical form.
    package func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// Refuses `.` and `..` with `request.invalid`: no path of the API could name them.
private func checkSegment(_ canonical: [UInt8], field: String) throws(ValueError) {
    let dot = UInt8(ascii: ".")
    guard canonical != [dot], canonical != [dot, dot] else {
        throw ValueError(.requestInvalid, field: field, reason: "a name cannot be . or ..")
    }
}

/// Refuses invisible characters with `request.invalid`, whatever the text is for.
func checkEntered(_ text: String, field: String) throws(ValueError) {
    do {
        try EnteredText.check(text)
    } catch {
        throw ValueError(
            .requestInvalid, field: field,
            reason: "the text contains a control character or an invisible one, or U+FFFD; enter it without")
    }
}

/// The canonical form of a text. Errors are mapped to the codes of the API contract.
func canonicalForm(
    _ text: String, maximumBytes: Int, field: String, missing: ErrorCode, invalid: ErrorCode
) throws(ValueError) -> [UInt8] {
    do {
        return try TextRule.foldedText.canonicalize(text, maximumBytes: maximumBytes)
    } catch {
        switch error.code {
        case .empty: throw ValueError(missing, field: field, reason: "a value is required")
        case .tooLong: throw ValueError(invalid, field: field, reason: "the text is too long")
        default: throw ValueError(invalid, field: field, reason: "the text contains a character that is not accepted")
        }
    }
}

/// The id that a tenant gives its employee: a number, a name, an extension, an address.
///
/// Two ids are equal if their canonical forms are the same bytes. The id is shown as entered.
package struct CompanyEmployeeID: Sendable, Hashable {
    /// The largest number of bytes, in UTF-8, as entered and in canonical form.
    package static let maximumBytes = 256
    package let entered: String
    /// The canonical form in UTF-8, by which ids are matched.
    package let canonical: [UInt8]

    /// Parses an id.
    ///
    /// - Throws: ``ValueError`` with `employee.id_missing`, or `request.invalid` for a text that is too long or
    ///   contains characters that ids cannot have.
    package init(_ text: String) throws(ValueError) {
        try checkEntered(text, field: "companyEmployeeId")
        try self.init(recorded: text)
        try checkSegment(canonical, field: "companyEmployeeId")
    }

    /// Parses an id from the log, which was checked when it was entered.
    ///
    /// - Throws: ``ValueError`` with `employee.id_missing` or `request.invalid`.
    package init(recorded text: String) throws(ValueError) {
        canonical = try canonicalForm(
            text, maximumBytes: Self.maximumBytes, field: "companyEmployeeId", missing: .employeeIdMissing,
            invalid: .requestInvalid)
        entered = text
    }

    /// Whether both have the same canonical form.
    package static func == (left: CompanyEmployeeID, right: CompanyEmployeeID) -> Bool {
        left.canonical == right.canonical
    }

    /// Hashes the canonical form.
    package func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}
