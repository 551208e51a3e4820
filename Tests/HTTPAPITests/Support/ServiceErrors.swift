import IdentityService

/// Errors of the service by their codes.
enum ServiceErrors {
    static func named(_ code: String) -> ServiceError? { ServiceError.Code(rawValue: code).map { ServiceError($0) } }
}
