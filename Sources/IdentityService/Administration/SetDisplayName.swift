import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Sets the name by which colleagues see the caller, or removes it.
package struct SetDisplayName: UseCase {
    /// The name; empty for none.
    package let name: String
    /// The owner of the account.
    package let caller: EmployeeCaller

    package init(name: String, caller: EmployeeCaller) {
        self.name = name
        self.caller = caller
    }

    /// Records the name, unless the person has it.
    ///
    /// - Throws: `request.invalid` for a text that is no name, and `authorization.not_permitted` for a name that was
    ///   changed too often.
    package func run(_ run: UseCaseRun<Void>) async throws {
        let context = run.context, isNone = name.allSatisfy(\.isWhitespace)
        let name: DisplayName? = isNone ? nil : try parsed { () throws(ValueError) in try DisplayName(self.name) }
        try await optimistic {
            let own = try await OwnAccount(of: caller, context), employee = own.employee
            let keys = try await context.personKeys.load([employee.id.uuid], ledger: own.tenant.id.uuid)
            // Without the key the account is erased.
            guard keys[employee.id.uuid] != nil else { throw ServiceError(.sessionInvalid) }
            guard try ShownName(employee, keys: keys)?.text != name?.text else { return }
            let events = try Employee.decided(employee.state, .setDisplayName(Employee.SetDisplayName(name: name)))
            var recorder = EventRecorder(
                context, at: run.call.time,
                metadata: EventMetadata(actor: employee.id.uuid, requestId: run.call.requestId))
            try recorder.add(
                events, to: .employee(employee.id, in: own.tenant.id), version: employee.version, keys: keys)
            try await recorder.append()
        }
    }
}

/// Reads the name by which colleagues see the caller.
package struct ReadDisplayName: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    package func run(_ run: UseCaseRun<String?>) async throws -> String? {
        let own = try await OwnAccount(of: caller, run.context)
        return try await run.context.shownName(of: own.employee, in: own.tenant.id)?.text
    }
}
