import Canonical
import Crypto
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// One authentication in progress: the challenge y, later the verdict, and whether somebody took the verdict.
///
/// The row lives 15 seconds until pass 2, and then 60 seconds until it is redeemed.
struct MPinPass: CodedRow {
    /// The verdict about a proof, as it is stored.
    enum Verdict: ColumnValue, Equatable {
        case right
        /// Anything else: the code that the app is told.
        case refused(ErrorCode)

        var stored: String {
            switch self {
            case .right: "right"
            case .refused(let code): code.rawValue
            }
        }

        static func value(of stored: String) -> Verdict? {
            stored == "right" ? .right : ErrorCode(rawValue: stored).map(Verdict.refused)
        }
    }

    /// The time in which pass 2 must follow.
    static let challengeLifetime: Duration = .seconds(15)
    /// The time in which the verdict must be redeemed.
    static let verdictLifetime: Duration = .seconds(60)

    var tenant: UUID
    var id: UUID
    var app: UUID
    var mpinIDHash: [UInt8]
    var commitment: [UInt8]
    var challenge: [UInt8]
    var openedAt: Timestamp
    var expiresAt: Timestamp
    /// The digest of the token that the verdict is redeemed with; `nil` before pass 2.
    var tokenDigest: [UInt8]?
    var verdict: Verdict?
    /// The M-Pin ID, sealed for this pass.
    var sealedID: [UInt8]?
    var isRedeemed = false
    /// The code as it was read.
    var code: [UInt8]?

    static let table = RowTable<MPinPass>(
        "mpin_pass", MPinPass.init,
        Column(key: "ledger_id", \.tenant), Column(key: "pass_id", \.id), Column("app_id", \.app),
        Column("mpin_hash", \.mpinIDHash), Column("commitment", \.commitment), Column("challenge", \.challenge),
        Column("opened_at", \.openedAt), Column("expires_at", \.expiresAt), Column("token", \.tokenDigest),
        Column("verdict", \.verdict), Column("sealed_id", \.sealedID), Column("redeemed", \.isRedeemed),
        .code(\.code))

    /// Where the M-Pin ID of a pass is sealed for.
    static func place(_ id: UUID) -> [UInt8] { Array("pass/".utf8) + id.bytes }
}

/// The rows of authentications in progress in one tenant.
struct MPinPasses: Sendable {
    /// The number of open challenges that an M-Pin ID may have. A new one replaces the oldest.
    static let openChallenges: Int64 = 8

    let context: ServiceContext
    let tenant: TenantID
    let app: AppCaller

    private var ledger: LedgerID { LedgerID(tenant.uuid) }

    func open(_ id: UUID, hash: Bytes32, commitment: [UInt8], challenge: [UInt8], at time: Timestamp) async throws {
        let pass = MPinPass(
            tenant: tenant.uuid, id: id, app: app.appId, mpinIDHash: hash.bytes, commitment: commitment,
            challenge: challenge, openedAt: time, expiresAt: time.adding(MPinPass.challengeLifetime))
        _ = try await context.pool.pipeline(
            [
                """
                DELETE FROM tenure.mpin_pass WHERE ledger_id = \(tenant.uuid) AND pass_id = ANY (ARRAY(
                    SELECT pass_id FROM tenure.mpin_pass
                    WHERE ledger_id = \(tenant.uuid) AND mpin_hash = \(hash.bytes) AND token IS NULL
                    ORDER BY opened_at DESC, pass_id OFFSET \(Self.openChallenges - 1)))
                """,
                pass.insertion(context.ring),
            ], in: [ledger], waits: false)
    }

    /// Finds the pass of a handle, or without one the newest that is open for an M-Pin ID.
    func find(_ handle: UUID?, hash: Bytes32, at time: Timestamp) async throws -> MPinPass? {
        let choice: SQL =
            if let handle {
                "AND pass_id = \(handle)"
            } else {
                "AND token IS NULL ORDER BY opened_at DESC, pass_id LIMIT 1"
            }
        return try await MPinPass.all(
            in: tenant.uuid, where: "app_id = \(app.appId) AND mpin_hash = \(hash.bytes) \(choice)", context
        ).first
    }

    /// The token with which the verdict about a response is redeemed. The same response has the same token, so a
    /// repeated call needs no second verdict.
    func token(of pass: UUID, for response: [UInt8]) -> MPinProofToken {
        MPinProofToken(pass: pass, code: context.ring.mpinCode("authOTT", [tenant.uuid.bytes, pass.bytes, response]))
    }

    /// The statement that records the verdict. It fails if another response was recorded first.
    func recording(
        _ verdict: MPinPass.Verdict, of open: MPinPass, _ token: MPinProofToken, _ mpinID: MPinID, at time: Timestamp
    ) throws -> SQL {
        var pass = open
        pass.tokenDigest = token.digest
        pass.verdict = verdict
        pass.sealedID = try context.ring.sealMPin(mpinID.bytes, at: MPinPass.place(pass.id))
        pass.expiresAt = time.adding(MPinPass.verdictLifetime)
        return """
            WITH recorded AS (\(pass.update(where: "t.token IS NULL", context.ring)) RETURNING 1)
            SELECT tenure.require(count(*) = 1) FROM recorded
            """
    }

    /// Records a verdict that nothing is appended for.
    ///
    /// - Throws: `mpin.request_expired` if another response was recorded first.
    func record(_ recording: SQL) async throws {
        do {
            _ = try await context.pool.pipeline([recording], in: [ledger])
        } catch let error as PostgresError where error.sqlState == .requirementFailed {
            throw ServiceError(.mpinRequestExpired)
        }
    }

    /// Finds the verdict that a token redeems.
    ///
    /// - Throws: `mpin.request_expired` for an unknown, foreign, expired or redeemed token.
    func verdict(of text: String, at time: Timestamp) async throws -> (pass: MPinPass, verdict: MPinPass.Verdict) {
        guard let token = MPinProofToken(text: text) else { throw ServiceError(.mpinRequestExpired) }
        let passes = try await MPinPass.all(
            in: tenant.uuid, where: "app_id = \(app.appId) AND pass_id = \(token.pass)", context)
        guard let pass = passes.first, let digest = pass.tokenDigest,
            equalInConstantTime(digest, token.digest), let verdict = pass.verdict, time < pass.expiresAt,
            !pass.isRedeemed
        else { throw ServiceError(.mpinRequestExpired) }
        return (pass, verdict)
    }

    /// Whether the identity of a pass is linked to the employee and the device of a flow.
    func isLinked(_ pass: MPinPass, to state: FlowState) async throws -> Bool {
        guard let sealed = pass.sealedID, let bytes = context.ring.openMPin(sealed, at: MPinPass.place(pass.id)),
            let link = try await context.mpinIdentity(named: MPinID(text: Hex.encode(bytes)), in: tenant)?.state.link
        else { return false }
        let fingerprint = try state.fingerprint
        return link.employee == EmployeeID(state.employeeId) && link.fingerprint == fingerprint
    }

    /// The statement that redeems a verdict. It returns a row if nobody did before.
    func redeeming(_ pass: MPinPass) -> SQL {
        var redeemed = pass
        redeemed.isRedeemed = true
        return "\(redeemed.update(where: "NOT t.redeemed", context.ring)) RETURNING 1"
    }
}

/// The token that redeems a verdict once, called authOTT on the wire.
struct MPinProofToken: Sendable, Redacted {
    let pass: UUID
    let code: [UInt8]

    init(pass: UUID, code: [UInt8]) {
        self.pass = pass
        self.code = code
    }

    /// Reads a token; `nil` if it is malformed.
    init?(text: String) {
        guard text.utf8.count == 64, let bytes = Base64URL.decode(text), bytes.count == 48,
            let pass = UUID(bytes: Array(bytes.prefix(16)))
        else { return nil }
        self.init(pass: pass, code: Array(bytes.dropFirst(16)))
    }

    /// 64 characters of base64url.
    var text: String { Base64URL.encode(pass.bytes + code) }
    /// The SHA-256 of the code, which the row has.
    var digest: [UInt8] { Array(SHA256.hash(data: code)) }
}
