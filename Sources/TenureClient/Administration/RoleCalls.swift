import Canonical
public import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EmployeeSession {
    /// Appoints an admin, dismisses one, or hands the role of security admin over.
    ///
    /// The security admin appoints and dismisses admins. The security admin cannot be dismissed: they name a successor
    /// within ten minutes after a log-in and become an ordinary employee. Giving a role that the employee already has
    /// changes nothing.
    ///
    /// ```swift
    /// switch try await session.decideRole(.admin, of: "bo") {
    /// case .done: break  // Bo is an admin already.
    /// case .sign(let decision): _ = try await decision.sign()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - role: The new role.
    ///   - companyEmployeeId: The id of the employee who gets the role.
    ///   - followerFingerprint: The fingerprint that the next security admin reads out. Spaces are ignored. A
    ///     succession to another key is then refused. Without it, compare ``RoleDecision/followerFingerprint`` before
    ///     you sign.
    ///   - keys: The fingerprints of the device keys that shall carry the role, compared with the person's devices.
    ///     `nil` chooses all keys that founding or an admin's signature authorized.
    /// - Throws: ``TenureClientError``: `authorization.not_permitted`, `employee.unknown`, `employee.inactive`, or
    ///   `authorization.unknown_key` if no device key can carry the role; name one in `keys`.
    ///   ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    public func decideRole(
        _ role: RoleRequest.Role, of companyEmployeeId: String, followerFingerprint: String? = nil,
        keys: [String]? = nil
    ) async throws -> RoleDecisionStep {
        let call = RoleDecisionCall(session: self, role: role, companyEmployeeId: companyEmployeeId, keys: keys)
        switch try await call.send(nil) {
        case .done(_, let position): return .done(position: position)
        case .signatureRequired(let bytes):
            let known = try await RoleExpectation(
                role, of: companyEmployeeId, followerFingerprint: followerFingerprint,
                keys: call.keys, by: self)
            return .sign(RoleDecision(call: call, statement: try known.statement(bytes, at: .now())))
        }
    }
}

extension EmployeeSession {
    /// The maximum number of ledger pages to read: ten million events.
    private static let maximumPages = 1_000

    /// Returns the id under which the ledger registered an employee. A statement about the employee must name it.
    ///
    /// The id comes from the registration event, because no other read contains it. The event is as trustworthy as any
    /// read: the service must then lie consistently in the event and in the statement. A ledger of ten thousand events
    /// takes one request.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` if the ledger has no such
    ///   employee, because there is nothing to compare a statement with.
    func registeredId(of companyEmployeeId: String) async throws -> UUID {
        let company = account.companyName
        let wanted = client.account(companyName: company, companyEmployeeId: companyEmployeeId)
        var after: Int64?
        for _ in 0..<Self.maximumPages {
            let cursor = after
            let page = try await withAuthority { authority in
                try await client.events(
                    of: company, after: cursor, type: "EmployeeRegistered", employee: companyEmployeeId, as: authority)
            }
            for event in page.items where event.type == "EmployeeRegistered" {
                guard var reader = try? ObjectReader(event.data), let id = try? reader.uuid("employeeId"),
                    let name = try? reader.string("companyEmployeeId"),
                    client.account(companyName: company, companyEmployeeId: name) == wanted
                else { continue }
                return id
            }
            guard let next = page.next else { throw TenureClientError(.signingRefused) }
            guard next > after ?? 0 else { throw TenureClientError(.responseInvalid) }
            after = next
        }
        throw TenureClientError(.responseInvalid)
    }
}
