public import Canonical

/// What starts a registration. Texts are as received; the service parses them.
public struct RegistrationInput: Sendable {
    /// The company's name.
    public var companyName: String
    /// The employee's id in that company.
    public var companyEmployeeId: String
    /// The user's e-mail.
    public var email: String
    /// Whether the e-mail is claimed to be the company's.
    public var isCompanyOwnedEmail: Bool
    /// The device's public key, 65-byte X9.63.
    public var employeePublicKey: [UInt8]

    /// Describes a registration.
    public init(
        companyName: String, companyEmployeeId: String, email: String, isCompanyOwnedEmail: Bool,
        employeePublicKey: [UInt8]
    ) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        self.employeePublicKey = employeePublicKey
    }
}

/// What starts a login.
public struct LoginInput: Sendable {
    /// The company's name.
    public var companyName: String
    /// The employee's id in that company.
    public var companyEmployeeId: String
    /// The device's public key, 65-byte X9.63.
    public var employeePublicKey: [UInt8]

    /// Describes a login.
    public init(companyName: String, companyEmployeeId: String, employeePublicKey: [UInt8]) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.employeePublicKey = employeePublicKey
    }
}

/// New credentials in direct mode.
public struct CredentialsInput: Sendable, CustomStringConvertible {
    /// Question and answer, in the user's order.
    public var securityQuestions: [(question: String, answer: String)]
    /// The passphrase, when the user chose one.
    public var passphrase: String?
    /// Whether the questions may be used although there is a passphrase.
    public var questionsWithPassphrase: Bool
    /// Never the secrets.
    public var description: String { "[redacted]" }

    /// Describes new credentials.
    public init(
        securityQuestions: [(question: String, answer: String)], passphrase: String?, questionsWithPassphrase: Bool
    ) {
        self.securityQuestions = securityQuestions
        self.passphrase = passphrase
        self.questionsWithPassphrase = questionsWithPassphrase
    }
}

/// One answer in direct mode.
public struct AnswerInput: Sendable, CustomStringConvertible {
    /// The question's id, unpadded base64url of 16 bytes.
    public var questionId: String
    /// The answer as typed.
    public var answer: String
    /// Never the answer.
    public var description: String { "[redacted]" }

    /// Describes one answer.
    public init(questionId: String, answer: String) {
        self.questionId = questionId
        self.answer = answer
    }
}

/// What to do with an employee key.
public struct KeyDecisionInput: Sendable {
    /// The three decisions.
    public enum Action: String, Sendable {
        /// Countersign the key.
        case authorize
        /// Refuse a pending key.
        case refuse
        /// End an authorized key.
        case revoke
    }
    /// The decision.
    public var action: Action
    /// The company's name.
    public var company: String
    /// The employee's id in that company.
    public var companyEmployeeId: String
    /// The key's fingerprint, lower-case hex.
    public var fingerprint: String
    /// A reason code `[a-z0-9_.-]{1,64}`; needed to refuse and to revoke.
    public var reason: String?
    /// The statement and an admin's signature over it.
    public var signed: SignedStatement?

    /// Describes a decision.
    public init(
        action: Action, company: String, companyEmployeeId: String, fingerprint: String, reason: String? = nil,
        signed: SignedStatement? = nil
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
    }
}

/// What to do with an employee's status.
public struct StatusDecisionInput: Sendable {
    /// The three decisions.
    public enum Action: String, Sendable {
        /// Approve a registered employee.
        case approve
        /// Cancel an employee.
        case cancel
        /// Take a cancelled employee back.
        case reinstate
    }
    /// The decision.
    public var action: Action
    /// The company's name.
    public var company: String
    /// The employee's id in that company.
    public var companyEmployeeId: String
    /// A free-text note, at most 1,024 bytes.
    public var note: String?

    /// Describes a decision.
    public init(action: Action, company: String, companyEmployeeId: String, note: String? = nil) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.note = note
    }
}

/// Which role an employee shall have.
public struct RoleInput: Sendable {
    /// The three roles.
    public enum Role: String, Sendable, CaseIterable {
        /// Administers the company.
        case admin
        /// The one security admin, in place of the present one.
        case securityAdmin
        /// None.
        case employee
    }
    /// The role.
    public var role: Role
    /// The company's name.
    public var company: String
    /// The employee's id in that company.
    public var companyEmployeeId: String

    /// Describes a change.
    public init(role: Role, company: String, companyEmployeeId: String) {
        self.role = role
        self.company = company
        self.companyEmployeeId = companyEmployeeId
    }
}

/// Which events to read.
public struct EventQuery: Sendable {
    /// Only events after this position.
    public var after: Int64
    /// How many at most, 1 to 500.
    public var limit: Int
    /// Only this type.
    public var type: String?
    /// Only events that concern this company employee id.
    public var employee: String?
    /// Only events recorded at this moment or before.
    public var asOf: Timestamp?

    /// Describes a query.
    public init(
        after: Int64 = 0, limit: Int = 100, type: String? = nil, employee: String? = nil, asOf: Timestamp? = nil
    ) {
        self.after = after
        self.limit = limit
        self.type = type
        self.employee = employee
        self.asOf = asOf
    }
}
