package import Canonical
package import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import TenureAPI

/// Makes the statements that callers sign, and checks what they submit.
package struct StatementExchange: Sendable {
    /// The time for which a statement is valid.
    static let lifetime: Duration = .seconds(900)
    let context: ServiceContext
    let access: CompanyAccess

    package init(context: ServiceContext, access: CompanyAccess) {
        self.context = context
        self.access = access
    }

    /// The members that every statement of this caller has.
    ///
    /// - Throws: `authorization.not_permitted` for a caller without a signing key or authority.
    package func statementContext(at time: Timestamp) async throws -> StatementContext {
        guard let signer = access.signer, let authority = access.authority else {
            throw ServiceError(Denial.noSigningKey)
        }
        let (size, root) = try await context.reader.root(LedgerID(access.tenant.id.uuid))
        return StatementContext(
            tenant: access.tenant.id.uuid, signer: try StatementKey(bytes: signer.bytes), authority: authority,
            ledgerSize: size, ledgerRoot: root, systemSize: try await systemSize(), expires: time.adding(Self.lifetime),
            nonce: randomBytes(32))
    }

    /// The size of the system ledger, which has an app's secrets; `nil` for an employee.
    ///
    /// The append guards the app's stream, so a secret that ends within this part of the ledger vouches for nothing.
    private func systemSize() async throws -> Int64? {
        guard case .app = access.decider else { return nil }
        return try await context.reader.head(.system)?.size ?? 0
    }

    /// Checks a signed statement against the one that the service would make now.
    ///
    /// Everything but the view of the ledger, the expiry and the nonce has to be the same; the view has to be one that
    /// the ledger really had, and to include all that was decided about the company: so nobody repeats what an admin
    /// signed before it was taken back.
    ///
    /// - Parameter position: The position of the latest decision about the same subject. A statement that does not include
    ///   it was signed before, or is the one that caused it: each statement is used once.
    func verify<S: Statement>(
        _ signed: StatementSignature, is expected: S, at time: Timestamp, after position: Int64
    ) async throws -> SignedStatement {
        let (statement, signature) = try Self.read(signed, as: expected, at: time)
        try await check(signature)
        let seen = statement.context, asked = expected.context
        guard statement.members == expected.members, seen.tenant == asked.tenant, seen.signer == asked.signer,
            seen.authority == asked.authority, seen.expires <= time.adding(Self.lifetime),
            seen.ledgerSize >= max(access.tenant.lastPosition, position), seen.ledgerSize <= asked.ledgerSize
        else { throw ServiceError(.requestStale) }
        let (_, root) = try await context.reader.root(LedgerID(access.tenant.id.uuid), size: seen.ledgerSize)
        guard root == seen.ledgerRoot else { throw ServiceError(Denial.statementInvalid, at: "/statement") }
        return try recorded(signed.statement, signature.bytes, by: seen.signer)
    }

    /// Parses a submitted statement, and verifies its signature by the key that it names.
    ///
    /// - Throws: `authorization.not_permitted`, with the member that is at fault.
    private static func read<S: Statement>(
        _ signed: StatementSignature, as expected: S, at time: Timestamp
    ) throws(ServiceError) -> (S, DeviceEvidence) {
        let statement: S
        do {
            statement = try S(parsing: signed.statement, expecting: expected.tag)
        } catch {
            throw ServiceError(Denial.statementInvalid, at: "/statement")
        }
        do {
            try statement.context.checkExpiry(at: time)
        } catch {
            throw ServiceError(Denial.statementExpired, at: "/statement")
        }
        do {
            return (statement, try statement.verify(proof: signed.signature))
        } catch {
            let signer = statement.context.signer
            let isOverText = KeyProof.isOverBase64(signed.signature, of: signed.statement, by: signer)
            throw ServiceError(isOverText ? Denial.signatureOverText : .signatureInvalid, at: "/signature")
        }
    }

    /// Checks that the evidence is of the kind of the caller's key, and a passkey's of this site.
    ///
    /// - Throws: `authorization.not_permitted`.
    private func check(_ evidence: DeviceEvidence) async throws {
        let rules = access.passkey == nil ? nil : try await context.passkeyRules(everywhere: true)
        do { try evidence.check(access.passkey, origins: rules?.origins.map(\.text) ?? []) } catch {
            throw ServiceError(Denial.signatureInvalid, at: "/signature")
        }
    }

    /// Signs a statement with the app's authority key, which is derived from the presented secret.
    func vouch(_ statement: some Statement, _ presented: PresentedSecret) throws -> SignedStatement {
        let key = try AppAuthorityKey(appSecret: presented.secret, appSalt: presented.salt)
        return try recorded(statement.bytes, try key.sign(statement).bytes, by: StatementKey(key.publicKey))
    }

    private func recorded(
        _ statement: [UInt8], _ signature: [UInt8], by signer: StatementKey
    ) throws -> SignedStatement {
        guard let key = PublicKeyBytes(signer.bytes), let signature = SignatureBytes(signature) else {
            throw ServiceError(.authorizationNotPermitted)
        }
        return SignedStatement(key: key, statement: statement, signature: signature)
    }
}
