import Identity

extension ServiceContext {
    /// The budget that the next attempt of a flow is charged to.
    ///
    /// A device is known when its key is authorized for the employee of this flow. Nobody's devices are looked up in the
    /// same way, and are never known.
    func budget(for state: FlowState) async throws -> AttemptBudget {
        var isKnown = false
        if state.purpose == .login {
            let employee = try await StateLoader(reader: reader).employee(
                EmployeeID(state.standIn?.employeeId ?? state.employeeId), in: TenantID(state.tenantId))
            isKnown = employee.state.authorizedKeys.contains(try state.deviceKey) && !state.isDecoy
        }
        return AttemptBudget(state, isKnownDevice: isKnown, ring: ring)
    }
}
