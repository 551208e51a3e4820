public import Credentials
import TenureAPI

/// What a decision about somebody's recovery asks for next.
public enum RecoveryDecisionStep: Sendable {
    /// It was decided so before; the position is absent then.
    case done(position: Int64?)
    /// This is what would be signed.
    case sign(RecoveryDecision)
}

/// The next thing to call: ``sign()``, once the person has compared the fingerprint.
public struct RecoveryDecision: Sendable {
    let call: RecoveryDecisionCall
    /// The statement; it is about the key and the action that were asked for and names this device's key as signer.
    public let statement: RecoveryStatement

    /// Signs with this device's key and sends the signature. A statement may be used for a quarter of an hour.
    ///
    /// - Returns: The position in the company's ledger; `nil` when it was decided so meanwhile.
    /// - Throws: ``TenureClientError`` with `request.stale` when something happened to the person or to the company
    ///   meanwhile: decide again then.
    public func sign() async throws -> Int64? {
        let account = call.session.account
        guard let key = try await call.session.client.keyStore.key(of: account),
            statement.context.signer.bytes == key.publicKey.bytes
        else { throw TenureClientError(.signingRefused) }
        let signature = try await key.signature(over: statement)
        let signed = StatementSignature(statement: statement.bytes, signature: signature.bytes)
        guard case .done(_, let position) = try await call.send(signed) else {
            throw TenureClientError(.responseInvalid)
        }
        return position
    }
}

/// One decision as it goes to the service, first without a signature and then with it.
struct RecoveryDecisionCall: Sendable {
    let session: EmployeeSession
    let action: RecoveryStatement.Action
    let path: [String: String]
    /// Goes with a cancellation only.
    let reason: String?

    func send(_ signed: StatementSignature?) async throws -> DecisionResponse {
        let endpoint: Endpoint =
            switch action {
            case .open: .openRecovery
            case .confirm: .confirmRecovery
            case .cancel: .cancelRecovery
            }
        let body = DecisionRequest(reason: reason, signed: signed)
        return try await session.withAuthority { authority in
            try await session.client.call(endpoint, path, body: body, as: authority)
        }
    }
}
