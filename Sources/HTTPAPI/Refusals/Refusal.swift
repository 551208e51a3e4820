import TenureAPI

/// Why a request was not served; becomes a problem document.
struct Refusal: Error {
    /// What is refused.
    var code: ErrorCode
    /// What was wrong in particular.
    var places: [ProblemPlace] = []
    /// The exact bytes to sign next, where the flow goes on.
    var challenge: [UInt8]?
    /// How long to wait, in whole seconds.
    var retryAfter: Int?
    /// The methods that the path knows, for a 405.
    var allow: String?
    /// Whether the rest of the body must not be read.
    var closes = false

    init(_ code: ErrorCode, places: [ProblemPlace] = [], retryAfter: Int? = nil) {
        self.code = code
        self.places = places
        self.retryAfter = retryAfter
    }

    /// `request.invalid` with one place.
    static func invalid(_ place: ProblemPlace.Place, _ detail: String) -> Refusal {
        Refusal(.requestInvalid, places: [ProblemPlace(place, detail)])
    }

    /// `request.invalid` for a body that cannot be read to its end; the connection is closed after the response.
    static func unreadable(_ detail: String) -> Refusal {
        var refusal = invalid(.pointer(""), detail)
        refusal.closes = true
        return refusal
    }

    /// `route.method_not_allowed` with the methods that the path knows.
    static func methodNotAllowed(allow methods: [String]) -> Refusal {
        var refusal = Refusal(.methodNotAllowed)
        refusal.allow = methods.joined(separator: ", ")
        return refusal
    }

    /// What a caller learns of an error that the contract does not name: nothing.
    static let unexpected = Refusal(.serviceUnavailable, retryAfter: 5)
}
