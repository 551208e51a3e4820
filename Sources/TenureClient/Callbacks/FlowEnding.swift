/// The callbacks of one call, of which exactly one is called, once, on the main actor.
struct FlowEnding: Sendable {
    let authorizeEmployee: (@MainActor @Sendable (String) -> Void)?
    let success: @MainActor @Sendable () -> Void
    let failure: @MainActor @Sendable (TenureClientError) -> Void

    /// Calls the one callback that an outcome belongs to. Where nobody wants to know of a pending authorization, it is a
    /// failure.
    func report(_ result: Result<FlowOutcome, TenureClientError>) async {
        await MainActor.run {
            switch result {
            case .success(.success): success()
            case .success(.authorizationPending(let pending)):
                if let authorizeEmployee {
                    authorizeEmployee(pending.employeePublicKey)
                } else {
                    failure(TenureClientError(.authorizationPending))
                }
            case .failure(let error): failure(error)
            }
        }
    }
}
