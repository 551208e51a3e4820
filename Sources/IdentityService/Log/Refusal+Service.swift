import Credentials
import Identity
import Ledger
import Postgres

/// How refusals of the inner targets become codes of the contract.
extension ServiceError {
    /// A value that could not be parsed.
    init(_ error: ValueError) {
        self.init(
            Code(rawValue: error.code.rawValue) ?? .requestInvalid,
            members: [Member(pointer: "/\(error.field)", detail: error.reason)])
    }

    /// A decider's rejection.
    init(_ rejection: some CodedRejection) {
        self.init(Code(rawValue: rejection.code) ?? .requestInvalid)
    }

    /// What the credential library refuses about input.
    init(_ error: CredentialsError) {
        switch error.code {
        case .fiveQuestionsRequired: self.init(.credentialsFiveQuestionsRequired)
        case .incomplete: self.init(.credentialsIncomplete)
        case .questionsAlike: self.init(.credentialsFiveQuestionsRequired, detail: "the five questions must differ")
        case .atLeastThreeAnswersRequired: self.init(.answersAtLeastThreeRequired)
        case .questionTwice: self.init(.requestInvalid, detail: "a question is answered twice")
        case .questionUnknown: self.init(.requestInvalid, detail: "a question was not asked")
        case .passphraseMissing: self.init(.passphraseMissing)
        case .tooLong: self.init(.requestInvalid, detail: "a text is too long")
        case .textInvalid: self.init(.requestInvalid, detail: "a text holds a character that is not accepted")
        case .keyInvalid: self.init(.employeeKeyInvalid)
        case .signatureInvalid: self.init(.employeeKeyInvalid, detail: "the signature does not verify")
        default: self.init(.requestInvalid)
        }
    }

    /// What an append could not do for reasons that pass.
    init?(_ error: LedgerError) {
        switch error.code {
        case .busy: self.init(.serviceBusy, retryAfterSeconds: 1)
        case .unavailable, .outcomeUnknown: self.init(.serviceUnavailable, retryAfterSeconds: 1)
        default: return nil
        }
    }

    private init(_ code: Code, detail: String) {
        self.init(code, members: [Member(pointer: "", detail: detail)])
    }
}

/// Parses a value, turning its refusal into the contract's code.
func parsed<Value>(_ parse: () throws(ValueError) -> Value) throws(ServiceError) -> Value {
    do { return try parse() } catch { throw ServiceError(error) }
}

/// Runs a decider, turning its rejection into the contract's code.
func decided<Event, Refused: CodedRejection>(
    _ decide: () throws(Refused) -> [Event]
) throws(ServiceError) -> [Event] {
    do { return try decide() } catch { throw ServiceError(error) }
}

/// Runs a function of the credential library, turning its refusal into the contract's code.
func accepted<Value>(_ body: () throws(CredentialsError) -> Value) throws(ServiceError) -> Value {
    do { return try body() } catch { throw ServiceError(error) }
}
