import Canonical
public import TenureAPI

extension EmployeeSession {
    /// Makes somebody in this employee's company an admin, an ordinary employee again, or the security admin in place of
    /// this one.
    ///
    /// Any admin appoints and dismisses admins. The security admin is not dismissed: they name who follows, and are an
    /// ordinary employee then. A role that somebody has already is given once.
    ///
    /// - Parameters:
    ///   - role: The role from now on.
    ///   - companyEmployeeId: Whose role it is, by the name they have in the company.
    ///   - followerFingerprint: The fingerprint that the next security admin reads out; spaces do not matter. A succession
    ///     to another key is refused then. Without it, compare ``RoleDecision/followerFingerprint`` before you sign.
    /// - Throws: ``TenureClientError``: `authorization.not_permitted`, `employee.unknown`, `employee.inactive`,
    ///   `authorization.unknown_key` when who should follow has no authorized key;
    ///   ``TenureClientError/Code/signingRefused`` when the service would have another thing signed.
    public func decideRole(
        _ role: RoleRequest.Role, of companyEmployeeId: String, followerFingerprint: String? = nil
    ) async throws -> RoleDecisionStep {
        let call = RoleDecisionCall(session: self, role: role, companyEmployeeId: companyEmployeeId)
        switch try await call.send(nil) {
        case .done(_, let position): return .done(position: position)
        case .signatureRequired(let bytes):
            let known = try await RoleExpectation(
                role, of: companyEmployeeId, followerFingerprint: followerFingerprint, by: self)
            return .sign(RoleDecision(call: call, statement: try known.statement(bytes, at: .now())))
        }
    }
}
