import Canonical
import Credentials
import FoundationEssentials
import Identity

/// The statement about one employee key, as the service would have it signed now.
struct KeyStatements: Sendable {
    let context: ServiceContext

    func statement(
        _ action: KeyStatement.Action, _ key: Employee.Key, of employee: EmployeeSnapshot, reason: String,
        tenant: TenantSnapshot, _ common: StatementContext
    ) async throws -> KeyStatement {
        guard let account = employee.state.account, let presented = employee.leaves[key.presented.position] else {
            throw ServiceError(.authorizationUnknownKey)
        }
        let user = try await StateLoader(reader: context.reader).user(account.user)
        guard let credentials = user.state.credentials else { throw ServiceError(.employeeUnknown) }
        let record = try StoredCredentials(bytes: credentials.record).record
        return KeyStatement(
            context: common, action: action, employee: employee.id.uuid,
            userKeyHash: record.sealed.context.userPublicKey.hash,
            employeeKey: try EmployeePublicKey(bytes: key.key.bytes), reason: reason, presentedHash: presented,
            policyHash: tenant.policyHash)
    }
}
