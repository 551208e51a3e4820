public import Canonical

/// The input that starts a registration. The texts are unparsed, as received.
public struct RegistrationInput: Sendable {
    /// The tenant's name.
    public var companyName: String
    /// The employee id in that tenant.
    public var companyEmployeeId: String
    /// The user's e-mail.
    public var email: String
    /// Whether the e-mail is claimed as the tenant's.
    public var isCompanyOwnedEmail: Bool
    /// The device's public key, 65-byte X9.63.
    public var employeePublicKey: [UInt8]
    /// The invitation token of an invited person.
    public var invitation: String?

    /// Each parameter sets the property of the same name.
    public init(
        companyName: String, companyEmployeeId: String, email: String, isCompanyOwnedEmail: Bool,
        employeePublicKey: [UInt8], invitation: String? = nil
    ) {
        self.invitation = invitation
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        self.employeePublicKey = employeePublicKey
    }
}

/// The input that starts a log-in, a change of credentials or a recovery.
public struct LoginInput: Sendable {
    /// The tenant's name.
    public var companyName: String
    /// The employee id in that tenant.
    public var companyEmployeeId: String
    /// The device's public key, 65-byte X9.63.
    public var employeePublicKey: [UInt8]

    /// Each parameter sets the property of the same name.
    public init(companyName: String, companyEmployeeId: String, employeePublicKey: [UInt8]) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.employeePublicKey = employeePublicKey
    }
}

/// New credentials in direct mode.
public struct CredentialsInput: Sendable, CustomStringConvertible {
    /// The questions with their answers, in the user's order.
    public var securityQuestions: [(question: QuestionInput, answer: String)]
    /// The passphrase, if the user chose one.
    public var passphrase: String?
    /// Whether the questions may be used instead of the passphrase.
    public var questionsWithPassphrase: Bool
    /// A placeholder that never contains the secrets.
    public var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    public init(
        securityQuestions: [(question: QuestionInput, answer: String)], passphrase: String?,
        questionsWithPassphrase: Bool
    ) {
        self.securityQuestions = securityQuestions
        self.passphrase = passphrase
        self.questionsWithPassphrase = questionsWithPassphrase
    }

    /// New credentials whose questions are texts, listed ones or the user's own.
    public init(
        texts: [(question: String, answer: String)], passphrase: String?, questionsWithPassphrase: Bool
    ) {
        self.init(
            securityQuestions: texts.map { (.text($0.question), $0.answer) }, passphrase: passphrase,
            questionsWithPassphrase: questionsWithPassphrase)
    }
}

/// One answer in direct mode.
public struct AnswerInput: Sendable, CustomStringConvertible {
    /// The question's id, unpadded base64url of 16 bytes.
    public var questionId: String
    /// The answer as typed.
    public var answer: String
    /// A placeholder that never contains the answer.
    public var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    public init(questionId: String, answer: String) {
        self.questionId = questionId
        self.answer = answer
    }
}

/// The input of a decision about a device key.
public struct KeyDecisionInput: Sendable {
    /// The three decisions.
    public enum Action: String, Sendable {
        /// Authorize the key.
        case authorize
        /// Refuse a pending key.
        case refuse
        /// Revoke an authorized key.
        case revoke
    }
    /// The decision.
    public var action: Action
    /// The tenant's name.
    public var company: String
    /// The employee id in that tenant.
    public var companyEmployeeId: String
    /// The key's fingerprint, lower-case hex.
    public var fingerprint: String
    /// A reason code `[a-z0-9_.-]{1,64}`; required to refuse and to revoke.
    public var reason: String?
    /// The statement and an admin's signature over it.
    public var signed: SubmittedStatement?

    /// Each parameter sets the property of the same name.
    public init(
        action: Action, company: String, companyEmployeeId: String, fingerprint: String, reason: String? = nil,
        signed: SubmittedStatement? = nil
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
    }
}

/// The input of a decision about an employee's account.
public struct StatusDecisionInput: Sendable {
    /// The four decisions.
    public enum Action: String, Sendable {
        /// Approve a registered employee.
        case approve
        /// Cancel an employee.
        case cancel
        /// Reinstate a cancelled employee.
        case reinstate
        /// End all sessions of an employee.
        case endSessions
    }
    /// The decision.
    public var action: Action
    /// The tenant's name.
    public var company: String
    /// The employee id in that tenant.
    public var companyEmployeeId: String
    /// A free-text note, at most 1,024 bytes.
    public var note: String?
    /// The statement and an admin's signature over it, in the second call.
    public var signed: SubmittedStatement?

    /// Each parameter sets the property of the same name.
    public init(
        action: Action, company: String, companyEmployeeId: String, note: String? = nil,
        signed: SubmittedStatement? = nil
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.note = note
        self.signed = signed
    }
}

/// The input of a change of role.
public struct RoleInput: Sendable {
    /// The three roles.
    public enum Role: String, Sendable, CaseIterable {
        /// An admin of the tenant.
        case admin
        /// The one security admin, in place of the present one.
        case securityAdmin
        /// An ordinary employee.
        case employee
    }
    /// The role.
    public var role: Role
    /// The tenant's name.
    public var company: String
    /// The employee id in that tenant.
    public var companyEmployeeId: String
    /// The fingerprints of the device keys that are to carry the role, as compared by the signer; `nil` for all vouched
    /// keys.
    public var fingerprints: [String]?

    /// Each parameter sets the property of the same name.
    public init(role: Role, company: String, companyEmployeeId: String, fingerprints: [String]? = nil) {
        self.fingerprints = fingerprints
        self.role = role
        self.company = company
        self.companyEmployeeId = companyEmployeeId
    }
}

/// The filter of a list of events.
public struct EventQuery: Sendable {
    /// Only events after this position.
    public var after: Int64
    /// The largest number of events, 1 to 500.
    public var limit: Int
    /// Only events of this type.
    public var type: String?
    /// Only events that concern this employee id.
    public var employee: String?
    /// Only events recorded at this time or before.
    public var asOf: Timestamp?

    /// Each parameter sets the property of the same name.
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
