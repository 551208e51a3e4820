extension FlowRecorder {
    /// Appends, and with it ends the flow with an error: a right challenge of somebody who may not enter is in the log
    /// too. The repeated call gets the same error.
    func refuse(with refusal: ServiceError) async throws -> ServiceError {
        var recorder = self
        recorder.refusal = refusal
        _ = try await recorder.append { [row] _ in
            // Nobody is told this: what is stored and answered is the error.
            .authorizationPending(employeePublicKey: row.state.employeePublicKey, fingerprint: "", position: nil)
        }
        return refusal
    }
}
