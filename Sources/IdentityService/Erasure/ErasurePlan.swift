import Canonical
public import FoundationEssentials
public import Keys

/// Who would be erased.
public struct ErasurePlan: Sendable {
    /// One key that would be destroyed, and whose it is.
    public struct Person: Sendable {
        /// A user, or an employee of one company.
        public let kind: ErasureList.Entry.Kind
        /// The ledger of the key: the user's directory or the company's.
        public let ledger: UUID
        /// The id of the user or the employee.
        public let id: UUID
        /// The e-mail or the employee id; nil where the key is gone already.
        public let name: String?
        /// The company of an employee.
        public let company: String?
        /// Whether the employee is the security admin of the company.
        public let isSecurityAdmin: Bool
        /// Whether the log says already that the person is erased.
        public let isErased: Bool
    }

    /// The user, if it is about one, then the employees.
    public let people: [Person]

    /// What somebody types to confirm: the name of the first, or the id where there is no name any more.
    public var confirmation: String { people.first.map { $0.name ?? $0.id.lowercased } ?? "" }
    /// The companies that would be left without somebody who can act as security admin.
    public var orphanedCompanies: [String] {
        people.filter { $0.isSecurityAdmin && !$0.isErased }.map { $0.company ?? "" }
    }
}
