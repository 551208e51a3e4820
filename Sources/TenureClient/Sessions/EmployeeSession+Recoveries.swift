import Canonical
public import Credentials
public import TenureAPI

extension EmployeeSession {
    /// The recoveries that wait in this employee's company: at most a hundred, those that are open first. For admins.
    public func recoveries() async throws -> [RecoveryResponse] {
        let path = ["companyName": account.companyName]
        return try await withAuthority { authority in
            try await client.call(.listRecoveries, path, as: authority, PageResponse<RecoveryResponse>.self).items
        }
    }

    /// Opens, confirms or cancels the recovery of somebody in this employee's company.
    ///
    /// The security admin opens, and another admin confirms, or a device of the person that is authorized; any of them
    /// cancels. Compare the fingerprint with what the person reads out before you call this: it is all that tells them
    /// from whoever pretends to be them. What was decided before is the same as once.
    ///
    /// - Parameters:
    ///   - action: What is decided.
    ///   - companyEmployeeId: Whose credentials are to be recovered, by the name they have in the company.
    ///   - fingerprint: The lower-case hexadecimal fingerprint of the new key; spaces do not matter.
    ///   - shown: What ``recoveries()`` said the recovery is about; a statement about anybody else is refused. `nil` for a
    ///     fingerprint that stands in no list.
    ///   - reason: Why it is cancelled, a code `[a-z0-9_.-]{1,64}`.
    /// - Throws: ``TenureClientError``: `recovery.unknown` when none is open, or the text is no fingerprint;
    ///   `recovery.in_progress`, `recovery.other_companies` and `authorization.not_permitted`;
    ///   ``TenureClientError/Code/signingRefused`` when the service would have another thing signed.
    public func decideRecovery(
        _ action: RecoveryStatement.Action, of companyEmployeeId: String, fingerprint: String,
        shown: RecoveryResponse.Subject? = nil, reason: String = "mistake"
    ) async throws -> RecoveryDecisionStep {
        let wanted = fingerprint.filter { !$0.isWhitespace }.lowercased()
        guard let keyHash = Hex.decode(wanted), keyHash.count == 32 else {
            throw TenureClientError(.init(rawValue: TenureClientError.Kind.recoveryUnknown.rawValue))
        }
        let call = RecoveryDecisionCall(
            session: self, action: action,
            path: [
                "companyName": account.companyName, "companyEmployeeId": companyEmployeeId, "fingerprint": wanted,
            ], reason: action == .cancel ? reason : nil)
        switch try await call.send(nil) {
        case .done(_, let position): return .done(position: position)
        case .signatureRequired(let bytes):
            let known = try await RecoveryExpectation(action, keyHash, reason: call.reason, shown: shown, by: self)
            return .sign(RecoveryDecision(call: call, statement: try known.statement(bytes)))
        }
    }
}
