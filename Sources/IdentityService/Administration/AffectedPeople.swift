import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import TenureAPI

/// The people of a tenant whom a change of the policy would lock out, and the admins who would lose the role.
struct AffectedPeople: Sendable {
    let context: ServiceContext
    let tenant: TenantSnapshot

    /// Returns the employees in force who have no secret.
    func secretless() async throws -> Set<EmployeeID> {
        try await inForce { _, account in
            try await context.credentialHolder(account.user).state.credentials?.isSecretless == true
        }
    }

    /// Returns the employees in force who have no authorized passkey.
    func passkeyless() async throws -> Set<EmployeeID> {
        try await inForce { employee, _ in
            !employee.keys.values.contains { $0.status == .authorized && $0.passkey != nil }
        }
    }

    /// Returns the employees in force of whom something is true. It reads each person of the tenant, so it is for a
    /// decision that is made once.
    private func inForce(
        _ isMeant: (Employee.State, Employee.Account) async throws -> Bool
    ) async throws -> Set<EmployeeID> {
        var found: Set<EmployeeID> = [], after: Int64 = 0
        while true {
            let page = try await context.reader.ledger(
                LedgerID(tenant.id.uuid), after: after, limit: 500, types: [EmployeeRegistered.type])
            for event in page.events {
                let employee = try await StateLoader(reader: context.reader).employee(
                    EmployeeID(event.stream.id), in: tenant.id)
                guard let account = employee.state.account, account.status != .cancelled,
                    // Whoever registers by themselves, and was let in by nobody, holds no decision back.
                    employee.state.keys.values.contains(where: { $0.authorized != nil })
                else { continue }
                if try await isMeant(employee.state, account) { found.insert(account.id) }
            }
            after = page.cursor
            guard page.hasMore else { return found }
        }
    }

    /// Returns the admins, by the ids that the tenant gave them, whose keys carry no role where `adminsNeedPasskey` holds.
    func adminsWithoutPasskey() async throws -> [String] {
        var names: [String] = []
        let admins = Array(tenant.state.admins.keys) + (tenant.state.securityAdmin.map { [$0] } ?? [])
        for admin in admins {
            let employee = try await StateLoader(reader: context.reader).employee(admin, in: tenant.id)
            let keys = employee.state.roleKeys(in: tenant.state)
            guard !keys.contains(where: { employee.state.holding(of: $0) != .software }) else { continue }
            names.append(
                try await context.summary(of: employee, in: tenant).companyEmployeeId ?? admin.uuid.lowercased)
        }
        return names.sorted()
    }
}
