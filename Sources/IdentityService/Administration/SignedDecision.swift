import Canonical
import Credentials
import Crypto
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import TenureAPI

/// The answer to a decision that somebody has to sign.
protocol SignableAnswer: Sendable {
    /// The answer to a call without a signature.
    static func signatureRequired(statement: [UInt8]) -> Self
}

extension DecisionResponse: SignableAnswer {}
extension InvitationDecisionResponse: SignableAnswer {}
extension MPinActivationResponse: SignableAnswer {}

/// A decision that takes effect only with a signature: of the device key of whoever decides, or of the app, which
/// vouches.
///
/// A use case loads the facts and makes this value of them. ``UseCaseRun/decide(by:_:retryingClaims:_:)`` does the rest,
/// which is the same for all.
struct SignedDecision<Event, Answer: SignableAnswer> {
    /// Who decides, and the tenant.
    let access: CompanyAccess
    /// The leaf hashes of the stream that the decision is about, by position, if it is not the tenant's.
    var leaves: [Int64: [UInt8]] = [:]
    /// The position of the last decision about the same subject: a statement that does not include it was signed before.
    var latest: Int64 = 0
    /// Decides; without a signature only to try. Without events the decision already holds.
    let decide: (AuthorityDecision) async throws -> [Event]
    /// Makes the statement that must be signed now.
    let statement: (StatementFacts) async throws -> any Statement
    /// Answers a decision that already holds. `nil` if no decision can hold already, and refusals are reported only to a
    /// caller who has signed.
    var holding: (() async throws -> Answer)?
    /// Records the events with what belongs to their append.
    let record: (inout DecisionRecorder<Answer>, [Event], AuthorityDecision) async throws -> Answer
}

extension UseCaseRun where Answer: SignableAnswer {
    /// Carries out a decision, and again from its beginning if what it was decided on has changed meanwhile.
    ///
    /// The decision is tried, its statement is made, the device signs it or the app vouches, and it is decided and
    /// recorded. Without a signature the answer is the statement.
    ///
    /// - Parameters:
    ///   - caller: The app that vouches; nobody else does.
    ///   - signed: The statement and the signature over it, in the second call of an employee.
    ///   - load: Loads the facts of an attempt.
    func decide<Event>(
        by caller: Caller? = nil, _ signed: StatementSignature?, retryingClaims: Bool = false,
        _ load: () async throws -> SignedDecision<Event, Answer>
    ) async throws -> Answer {
        try await optimistic(retryingClaims: retryingClaims) {
            let decision = try await load(), access = decision.access
            if let holding = decision.holding, try await decision.decide(access.decision()).isEmpty {
                return try await holding()
            }
            let exchange = StatementExchange(context: context, access: access)
            let common = try await exchange.statementContext(at: call.time)
            let statement = try await decision.statement(StatementFacts(common, access.tenant, decision.leaves))
            let proof: SignedStatement
            if case .app(let app)? = caller {
                proof = try exchange.vouch(statement, app.presented)
            } else if let signed {
                proof = try await exchange.verify(signed, is: statement, at: call.time, after: decision.latest)
            } else {
                return .signatureRequired(statement: statement.bytes)
            }
            let authority = try access.decision(proof), events = try await decision.decide(authority)
            var recorder = DecisionRecorder(access: access, self)
            if access.passkey != nil, let signer = access.signer, let id = access.actor, !events.isEmpty {
                let employee = try await StateLoader(reader: context.reader).employee(
                    EmployeeID(id), in: access.tenant.id)
                // A decision stands, whatever its key counts.
                _ = try await recorder.notePasskey(
                    signer, proof.signature, of: employee, in: access.tenant, from: call.sourceAddress)
            }
            return try await decision.record(&recorder, events, authority)
        }
    }
}

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

/// The id of what a statement issues, so that a statement issues one thing: a UUID of version 8 (RFC 9562 §5.8) with the
/// first bits of the statement's SHA-256.
func statementID(of signed: SignedStatement) throws(ProgramDefect) -> UUID {
    var bytes = Array(SHA256.hash(data: signed.statement).prefix(16))
    bytes[6] = 0x80 | (bytes[6] & 0x0F)
    bytes[8] = 0x80 | (bytes[8] & 0x3F)
    guard let id = UUID(bytes: bytes) else { throw ProgramDefect("a digest has another length") }
    return id
}

/// The ids that a statement may have given to what it issued. The first logs have the bits of the hash without a version.
func statementIDs(of signed: SignedStatement) -> [UUID] {
    [try? statementID(of: signed), UUID(bytes: Array(SHA256.hash(data: signed.statement).prefix(16)))]
        .compactMap(\.self)
}

/// Requires that a statement issues something for the first time. What the first logs issued has another id, so each id
/// that the statement may have given is looked up.
///
/// - Returns: The id of what is issued now.
/// - Throws: `request.stale`.
func requireFirstIssue(
    by decision: AuthorityDecision, _ context: ServiceContext, _ stream: (UUID) -> StreamID
) async throws -> UUID {
    guard let signed = decision.statement else { throw ServiceError(.authorizationNotPermitted) }
    let found = try await context.reader.streams(statementIDs(of: signed).map(stream))
    guard found.values.allSatisfy(\.isEmpty) else { throw ServiceError(.requestStale) }
    return try statementID(of: signed)
}
