import Text

/// The name that finds a tenant: a domain, an internal name or a phone number, each as good as the others.
///
/// Two names are equal when their canonical forms are the same bytes; the name is shown as entered.
public struct CompanyName: Sendable, Hashable {
    /// The most bytes a name may have, in UTF-8, as entered and in canonical form.
    public static let maximumBytes = 256
    /// The name as entered.
    public let entered: String
    /// The canonical form, in UTF-8: what names are matched by.
    public let canonical: [UInt8]

    /// Reads a name.
    ///
    /// - Throws: ``ValueError`` with `company.name_missing`, or `request.invalid` for a text too long or with
    ///   characters that names cannot have.
    public init(_ text: String) throws(ValueError) {
        canonical = try canonicalForm(
            text, maximumBytes: Self.maximumBytes, field: "companyName", missing: .companyNameMissing,
            invalid: .requestInvalid)
        entered = text
    }

    /// The canonical form as a string.
    public var canonicalText: String { String(decoding: canonical, as: UTF8.self) }

    /// Whether both names have the same canonical form.
    public static func == (left: CompanyName, right: CompanyName) -> Bool { left.canonical == right.canonical }

    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// The canonical form of a text, with refusals turned into the codes of the contract.
func canonicalForm(
    _ text: String, maximumBytes: Int, field: String, missing: ValueError.Code, invalid: ValueError.Code
) throws(ValueError) -> [UInt8] {
    do {
        return try TextRule.foldedText.canonicalize(text, maximumBytes: maximumBytes)
    } catch {
        switch error.code {
        case .empty: throw ValueError(missing, field: field, reason: "a value is needed")
        case .tooLong: throw ValueError(invalid, field: field, reason: "the text is too long")
        default: throw ValueError(invalid, field: field, reason: "the text holds a character that is not accepted")
        }
    }
}
