import Canonical
import IdentityService
import TenureAPI

extension Refusal {
    /// The refusal that an error of the service, of the JSON reader or of this module stands for; nil for others.
    init?(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let error as ServiceError: self.init(error)
        case let error as JSONError: self.init(ServiceError(error))
        default: return nil
        }
    }

    /// The refusal that the service gave.
    init(_ error: ServiceError) {
        guard let code = ErrorCode(rawValue: error.code.rawValue) else {
            self = .unexpected
            return
        }
        self.init(code, places: error.members.map { ProblemPlace(.pointer($0.pointer), $0.detail) })
        challenge = error.challenge
        let waits = code.status == 429 || code.status == 503
        retryAfter = error.retryAfterSeconds ?? (waits ? 1 : nil)
    }
}

extension ServiceError {
    /// The refusal of a document; members whose absence has a code of its own get that code.
    init(_ error: JSONError) {
        let reason = error.offset.map { "\(error.reason) (byte \($0))" } ?? error.reason
        self.init(Self.code(error), members: [Member(pointer: error.pointer, detail: reason)])
    }

    private static func code(_ error: JSONError) -> Code {
        switch (error.code, error.pointer) {
        case (.missingMember, "/companyName"): .companyNameMissing
        case (.missingMember, "/companyEmployeeId"): .employeeIdMissing
        case (.missingMember, "/email"): .emailMissing
        case (.missingMember, "/passphrase"): .passphraseMissing
        case (.missingMember, "/securityQuestions"): .credentialsFiveQuestionsRequired
        case (.missingMember, let pointer) where pointer.hasPrefix("/securityQuestions/"): .credentialsIncomplete
        case (.missingMember, "/answers"): .answersAtLeastThreeRequired
        case (.missingMember, "/employeePublicKey"), (.invalidValue, "/employeePublicKey"): .employeeKeyInvalid
        case (.missingMember, "/keyProof"), (.invalidValue, "/keyProof"): .employeeKeyInvalid
        default: .requestInvalid
        }
    }
}
