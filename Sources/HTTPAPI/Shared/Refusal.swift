import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

/// The reason why a request is refused; it becomes a problem document.
struct Refusal: Error {
    var code: ErrorCode
    /// The individual faults.
    var places: [ProblemPlace] = []
    /// The exact bytes to sign next, if the flow continues.
    var challenge: [UInt8]?
    /// The time to wait, in whole seconds.
    var retryAfter: Int?
    /// The earliest time for the call, if it came too early.
    var availableAt: Timestamp?
    var notices: [NoticeResponse] = []
    /// Header fields that belong to the refusal, such as `Allow`.
    var headers: [String: String] = [:]
    /// Whether the connection closes because the rest of the body must not be read.
    var closes = false
    /// The HTTP status, if it is another one than that of the code.
    var status: Int?
    /// What a page says, if it is something else than what the code means.
    var notice: PageNotice?

    init(_ code: ErrorCode, places: [ProblemPlace] = [], retryAfter: Int? = nil) {
        self.code = code
        self.places = places
        self.retryAfter = retryAfter
    }

    /// `request.invalid` with one fault.
    static func invalid(_ place: ProblemPlace.Place, _ detail: String) -> Refusal {
        Refusal(.requestInvalid, places: [ProblemPlace(place, detail)])
    }

    /// `request.invalid` for a body that cannot be read completely. The connection is closed after the response.
    static func unreadable(_ detail: String) -> Refusal {
        var refusal = invalid(.pointer(""), detail)
        refusal.closes = true
        return refusal
    }

    /// `request.too_large` for a body beyond `limit` bytes. The connection is closed after the response.
    static func tooLarge(limit: Int) -> Refusal {
        var refusal = Refusal(
            .requestTooLarge, places: [ProblemPlace(.pointer(""), "a body of at most \(limit) bytes is expected")])
        refusal.closes = true
        return refusal
    }

    /// `request.invalid` for a head beyond the limits. A page that says so has status 431 (RFC 6585 §5).
    static func headTooLarge(_ detail: String) -> Refusal {
        var refusal = invalid(.none, detail)
        refusal.notice = .cookies
        return refusal
    }

    /// `request.media_type` with the header field that says what is accepted.
    static func mediaType(
        _ place: ProblemPlace.Place, _ detail: String, accepts field: (name: String, value: String)
    ) -> Refusal {
        var refusal = Refusal(.requestMediaType, places: [ProblemPlace(place, detail)])
        refusal.headers[field.name] = field.value
        return refusal
    }

    /// `route.method_not_allowed` with the methods that the path supports.
    static func methodNotAllowed(allow methods: [String]) -> Refusal {
        var refusal = Refusal(.routeMethodNotAllowed)
        refusal.headers["Allow"] = methods.joined(separator: ", ")
        return refusal
    }

    /// The refusal for an error that the contract does not name. It tells the caller nothing about the error.
    static let unexpected = Refusal(.serviceUnavailable, retryAfter: 5)
}

extension Refusal {
    /// Maps an error of the service, the JSON reader or this module to its refusal; `nil` for other errors.
    init?(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let error as ServiceError: self.init(error)
        case let error as JSONError: self.init(ServiceError(error))
        default: return nil
        }
    }

    /// Maps an error of the service to its refusal.
    init(_ error: ServiceError) {
        self.init(error.code, places: error.members.map { ProblemPlace($0.problemPlace, $0.detail) })
        challenge = error.challenge
        availableAt = error.availableAt
        notices = error.notices
        let waits = (code.status == 429 || code.status == 503) && !error.isWaitInVain
        retryAfter = error.retryAfterSeconds ?? (waits ? 1 : nil)
    }
}

extension ServiceError.Member {
    /// The place as problem documents name it.
    fileprivate var problemPlace: ProblemPlace.Place {
        switch place {
        case .pointer(let text): .pointer(text)
        case .parameter(let name): .parameter(name)
        case .header(let name): .header(name)
        }
    }
}

extension ServiceError {
    /// Maps a JSON error to its refusal. A missing member that has its own code gets that code.
    init(_ error: JSONError) {
        let reason = error.offset.map { "\(error.reason) (byte \($0))" } ?? error.reason
        self.init(Self.code(error), members: [Member(pointer: error.pointer, detail: reason)])
    }

    private static func code(_ error: JSONError) -> ErrorCode {
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

/// A description of an unexpected error that is safe to log.
///
/// Errors of this project describe themselves without input. For any other error it contains only the type, because the
/// description may repeat the caller's input.
struct RedactedError: CustomStringConvertible {
    let error: any Error

    private static let own: Set<String> = [
        "Canonical", "Text", "Postgres", "Ledger", "Keys", "Credentials", "Identity", "EventCoding", "Projections",
        "IdentityService", "TenureServer", "TenureAPI", "HTTPAPI",
    ]

    var description: String {
        let type = String(reflecting: Swift.type(of: error))
        guard let module = type.split(separator: ".").first, Self.own.contains(String(module)) else { return type }
        let shown = "\(error)".unicodeScalars.prefix(300).map { (0x20...0x7E).contains($0.value) ? $0 : "?" }
        return type + ": " + String(String.UnicodeScalarView(shown))
    }
}

extension ErrorCode {
    /// Whether the app itself is refused. In the M-Pin protocol that is 403, because 401 means a wrong proof there.
    var isAboutApp: Bool { self == .appUnknown || self == .appSecretInvalid }
}
