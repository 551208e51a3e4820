import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Approves, cancels or reinstates an employee; admins only.
struct DecideStatus: Sendable {
    let context: ServiceContext

    func run(_ input: StatusDecisionInput, caller: Caller, call: Call, ticket: IdempotencyTicket?) async throws
        -> Decision
    {
        let note = try input.note.map { note in
            try parsed { () throws(ValueError) in try FreeText(note, field: "note") }
        }
        return try await optimistic {
            let access = try await context.access(input.company, caller, role: .authorization)
            let employee = try await context.employee(input.companyEmployeeId, in: access.tenant.id)
            let events = try decided { () throws(Employee.Rejection) in
                try Employee.decide(employee.state, command(input.action, note, employee, access))
            }
            var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
            let keys = try await context.personKeys.load([employee.id.uuid], ledger: access.tenant.id.uuid)
            for event in events {
                try recorder.add(
                    event.payload, to: .employee(employee.id, in: access.tenant.id), version: employee.version,
                    keys: keys)
            }
            if input.action == .cancel {
                recorder.statements.append(OpenedSession.deletion(employee: employee.id, tenant: access.tenant.id))
            }
            var after = employee
            for (offset, event) in events.enumerated() {
                Employee.evolve(
                    &after.state,
                    Recorded(
                        event, id: UUID(), time: call.time, position: .max, version: employee.version + offset + 1))
            }
            return try await recorder.append(try await context.summary(of: after, in: access.tenant))
        }
    }

    private func command(
        _ action: StatusDecisionInput.Action, _ note: FreeText?, _ employee: EmployeeSnapshot, _ access: CompanyAccess
    ) -> Employee.Command {
        switch action {
        case .approve: .approve(Employee.Approve(caller: access.decider))
        case .cancel:
            .cancel(
                Employee.Cancel(
                    note: note, role: access.tenant.state.role(of: employee.id), caller: access.decider))
        case .reinstate: .reinstate(Employee.Reinstate(caller: access.decider))
        }
    }
}
