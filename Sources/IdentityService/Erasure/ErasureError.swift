/// Why nobody could be erased.
public struct ErasureError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        /// Nobody has that e-mail, or there is no user of that id.
        case userUnknown = "erasure.user_unknown"
        /// The company has no such employee.
        case employeeUnknown = "erasure.employee_unknown"
        /// The person is the security admin of a company, and nobody said that it may be left without.
        case securityAdmin = "erasure.security_admin"
    }

    /// What is wrong.
    public let code: Code
    /// The identifier; it repeats no name.
    public var description: String { code.rawValue }
}
