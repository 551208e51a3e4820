import Canonical
import Crypto
import ErrorCodes
import FoundationEssentials
import Identity

/// The salt of a commitment. An app vouches alone, so the service chooses one for it. An admin chooses one, so that the
/// signing device can compute the commitment itself.
///
/// - Throws: `request.invalid`.
func subjectSalt(of caller: Caller, _ given: [UInt8]?) throws(ServiceError) -> Bytes32 {
    if case .app = caller, given == nil, let fresh = Bytes32(randomBytes(Bytes32.count)) { return fresh }
    guard let salt = given.flatMap({ Bytes32($0) }) else {
        throw ServiceError(
            .requestInvalid,
            members: [.init(pointer: "/subjectSalt", detail: "the base64 of 32 random bytes is expected")])
    }
    return salt
}

/// The id of what a signed decision issues.
func statementID(of decision: AuthorityDecision) throws -> UUID {
    guard let signed = decision.statement else { throw ServiceError(.authorizationNotPermitted) }
    return try statementID(of: signed)
}

/// The id of what a statement issues: the first 16 bytes of its SHA-256, so that a statement issues one thing.
func statementID(of signed: SignedStatement) throws(ProgramDefect) -> UUID {
    guard let id = UUID(bytes: Array(SHA256.hash(data: signed.statement)).prefix(16)) else {
        throw ProgramDefect("a digest has another length")
    }
    return id
}
