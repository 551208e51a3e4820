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
func statementID(of decision: AuthorityDecision) throws(ServiceError) -> UUID {
    guard let signed = decision.statement else { throw ServiceError(.authorizationNotPermitted) }
    return try statementID(of: signed)
}

/// The id of what a statement issues, so that a statement issues one thing: a UUID of version 8 (RFC 9562 §5.8) with the
/// first bits of the statement's SHA-256.
func statementID(of signed: SignedStatement) throws(ServiceError) -> UUID {
    var bytes = Array(SHA256.hash(data: signed.statement).prefix(16))
    bytes[6] = 0x80 | (bytes[6] & 0x0F)
    bytes[8] = 0x80 | (bytes[8] & 0x3F)
    guard let id = UUID(bytes: bytes) else { throw ServiceError(.serviceUnavailable) }
    return id
}

/// The ids that a statement may have given to what it issued. The first logs have the bits of the hash without a version.
func statementIDs(of signed: SignedStatement) -> [UUID] {
    [try? statementID(of: signed), UUID(bytes: Array(SHA256.hash(data: signed.statement).prefix(16)))]
        .compactMap(\.self)
}
