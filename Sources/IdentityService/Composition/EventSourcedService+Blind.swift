extension EventSourcedService {
    /// Evaluates blinded elements.
    public func evaluate(
        purpose: FlowPurpose, flow: String, elements: [ElementInput], app: AppCaller, call: Call
    ) async throws -> [Evaluation] {
        try require(purpose, app)
        return try await once(call, by: app.scope, opening: FlowStore.reading(flow)) { ticket in
            Evaluations(
                try await EvaluateElements(context: context).run(
                    elements, purpose: purpose, flow: flow, app: app, call: call, ticket: ticket))
        }.items
    }

    /// Takes the proof of a secret that stayed with the client, or new credentials that were made there.
    public func prove(
        purpose: FlowPurpose, flow: String, proof: ProofInput, app: AppCaller, call: Call
    ) async throws -> FlowOutcome {
        try require(purpose, app)
        return try await once(call, by: app.scope, opening: FlowStore.reading(flow)) { ticket in
            try await ProveCredential(context: context).run(
                proof, purpose: purpose, flow: flow, app: app, call: call, ticket: ticket)
        }
    }
}
