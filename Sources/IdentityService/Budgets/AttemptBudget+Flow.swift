import Identity

extension ServiceContext {
    /// The budget that the next attempt of a flow is charged to.
    ///
    /// A device is known when its key is authorized for the employee of this flow.
    func budget(for state: FlowState) async throws -> AttemptBudget {
        var isKnown = false
        if state.purpose == .login, !state.isDecoy {
            let employee = try await StateLoader(reader: reader).employee(
                EmployeeID(state.employeeId), in: TenantID(state.tenantId))
            isKnown = employee.state.authorizedKeys.contains(try state.deviceKey)
        }
        return AttemptBudget(state, isKnownDevice: isKnown, ring: ring)
    }
}
