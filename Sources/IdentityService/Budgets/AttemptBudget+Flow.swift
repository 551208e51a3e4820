import Identity

extension ServiceContext {
    /// The budget that the next attempt of a flow is charged to.
    ///
    /// A device is known when its key is authorized for the employee of this flow. Nobody's devices are looked up in the
    /// same way, and are never known. A change is charged like a login from the same device.
    func budget(for state: FlowState, of target: ChallengedCredential) throws -> AttemptBudget {
        var isKnown = false
        if state.purpose == .login || state.purpose == .change {
            guard let isInForce = target.scene.isKeyInForce else { throw ServiceError(.serviceUnavailable) }
            isKnown = isInForce && !state.isDecoy
        }
        return AttemptBudget(state, isKnownDevice: isKnown, ring: ring)
    }
}
