extension EventSourcedService {
    /// Evaluates blinded elements.
    public func evaluate(
        purpose: FlowPurpose, flow: String, elements: [ElementInput], app: AppCaller, call: Call
    ) async throws -> [Evaluation] {
        try require(purpose, app)
        let flow = FlowOpening(flow, .evaluation, context)
        return try await once(call, by: app.scope, opening: flow.reads) { ticket in
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
        let flow = FlowOpening(flow, .proof, context)
        return try await once(call, by: app.scope, opening: flow.reads) { ticket in
            try await ProveCredential(context: context).run(
                proof, purpose: purpose, flow: flow, app: app, call: call, ticket: ticket)
        }
    }
}
