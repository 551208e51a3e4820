/// The identifier a company gives its employee: a number, a name, an extension, an address.
///
/// Two of them are equal when their canonical forms are the same bytes; it is shown as entered.
public struct CompanyEmployeeID: Sendable, Hashable {
    /// The most bytes it may have, in UTF-8, as entered and in canonical form.
    public static let maximumBytes = 256
    /// The identifier as entered.
    public let entered: String
    /// The canonical form, in UTF-8: what identifiers are matched by.
    public let canonical: [UInt8]

    /// Reads an identifier.
    ///
    /// - Throws: ``ValueError`` with `employee.id_missing`, or `request.invalid` for a text too long or with
    ///   characters that identifiers cannot have.
    public init(_ text: String) throws(ValueError) {
        canonical = try canonicalForm(
            text, maximumBytes: Self.maximumBytes, field: "companyEmployeeId", missing: .employeeIDMissing,
            invalid: .requestInvalid)
        entered = text
    }

    /// Whether both have the same canonical form.
    public static func == (left: CompanyEmployeeID, right: CompanyEmployeeID) -> Bool {
        left.canonical == right.canonical
    }

    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}
