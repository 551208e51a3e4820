/// Why a name, an identifier or an address was refused; it never repeats what was given.
public struct ValueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable identifier of a refusal, part of the contract with apps.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `email.invalid`.
        public let rawValue: String
        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The identifier.
        public var description: String { rawValue }

        /// Nothing is left of the company name.
        public static let companyNameMissing = Code(rawValue: "company.name_missing")
        /// Nothing is left of the employee id.
        public static let employeeIDMissing = Code(rawValue: "employee.id_missing")
        /// Nothing is left of the address.
        public static let emailMissing = Code(rawValue: "email.missing")
        /// The text is no address.
        public static let emailInvalid = Code(rawValue: "email.invalid")
        /// The value is too long or holds what no value may hold.
        public static let requestInvalid = Code(rawValue: "request.invalid")
    }

    /// What is wrong.
    public let code: Code
    /// The name of the request's member, such as `companyName`.
    public let field: String
    /// One clause for a person.
    public let reason: String

    /// Makes an error; `reason` must not repeat the value.
    public init(_ code: Code, field: String, reason: String) {
        self.code = code
        self.field = field
        self.reason = reason
    }

    /// The code, the member and the reason.
    public var description: String { "\(code): \(reason) (\(field))" }
}
