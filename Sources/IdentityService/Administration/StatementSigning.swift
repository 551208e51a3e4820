import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Makes statements for callers to sign, and checks what comes back.
struct StatementSigning: Sendable {
    /// How long a statement may be used.
    static let lifetime: Duration = .seconds(900)
    let context: ServiceContext
    let access: CompanyAccess

    /// The members every statement of this caller has.
    func statementContext(at time: Timestamp) async throws -> StatementContext {
        guard let signer = access.signer, let authority = access.authority else {
            throw ServiceError(.authorizationNotPermitted)
        }
        let (size, root) = try await context.reader.root(LedgerID(access.tenant.id.uuid))
        return StatementContext(
            tenant: access.tenant.id.uuid, signer: try SignerPublicKey(bytes: signer.bytes), authority: authority,
            ledgerSize: size, ledgerRoot: root, expires: time.adding(Self.lifetime), nonce: randomBytes(32))
    }

    /// Checks a statement that the caller signed against the one the service would make now.
    ///
    /// Everything but the view of the ledger, the expiry and the nonce has to be the same; the view has to be one that
    /// the ledger really had, and to include all that was decided about the company: so nobody repeats what an admin
    /// signed before it was taken back.
    func verify<S: Statement>(
        _ signed: SignedStatement, is expected: S, at time: Timestamp
    ) async throws -> Identity.SignedStatement {
        let statement: S
        let signature: Signature
        do {
            statement = try S(parsing: signed.statement, expecting: expected.tag)
            try statement.context.checkExpiry(at: time)
            signature = try statement.verify(proof: signed.signature)
        } catch {
            throw ServiceError(.authorizationNotPermitted)
        }
        let seen = statement.context, asked = expected.context
        guard statement.members == expected.members, seen.tenant == asked.tenant, seen.signer == asked.signer,
            seen.authority == asked.authority, seen.expires <= time.adding(Self.lifetime),
            seen.ledgerSize >= access.tenant.lastPosition, seen.ledgerSize <= asked.ledgerSize
        else { throw ServiceError(.requestStale) }
        let (_, root) = try await context.reader.root(LedgerID(access.tenant.id.uuid), size: seen.ledgerSize)
        guard root == seen.ledgerRoot else { throw ServiceError(.authorizationNotPermitted) }
        return try recorded(signed.statement, signature, by: seen.signer)
    }

    /// Signs a statement with the app's authority key, while its secret is presented.
    func vouch(_ statement: some Statement, _ presented: PresentedSecret) throws -> Identity.SignedStatement {
        let key = try AppAuthorityKey(appSecret: presented.secret, appSalt: presented.salt)
        return try recorded(statement.bytes, try key.sign(statement), by: SignerPublicKey(key.publicKey))
    }

    private func recorded(
        _ statement: [UInt8], _ signature: Signature, by signer: SignerPublicKey
    ) throws -> Identity.SignedStatement {
        guard let key = PublicKeyBytes(signer.bytes), let signature = SignatureBytes(signature.bytes) else {
            throw ServiceError(.authorizationNotPermitted)
        }
        return Identity.SignedStatement(key: key, statement: statement, signature: signature)
    }
}

extension TenantSnapshot {
    /// The position of the latest event about the company itself: policy, roles, domains and apps.
    var lastPosition: Int64 { leaves.keys.max() ?? 0 }

    /// The leaf hash of the event that set the policy in force; nil while it is the founding one.
    var policyHash: [UInt8]? { state.policySince.flatMap { leaves[$0.position] } }
}
