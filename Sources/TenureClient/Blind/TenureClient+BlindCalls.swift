import Canonical
import Credentials
public import TenureAPI

extension TenureClient {
    /// Has blinded elements evaluated: one, which is charged as an attempt; the other nine of that attempt; or all of a
    /// set-up.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` when the answer is not one
    ///   evaluation for each element, in their order.
    public func evaluate(
        _ flow: Flow, elements: [EvaluationsRequest.Element]
    ) async throws -> [EvaluationsResponse.Evaluation] {
        let response: EvaluationsResponse
        do {
            response = try await call(
                flow.endpoint(.evaluateRegistration, .evaluateLogin, .evaluateChange, .evaluateRecovery),
                ["flow": flow.handle],
                body: EvaluationsRequest(elements: elements))
        } catch let error as TenureClientError {
            throw error.code == .responseInvalid ? TenureClientError(.signingRefused) : error
        }
        guard response.evaluations.map(\.slot) == elements.map(\.slot) else { throw TenureClientError(.signingRefused) }
        return response.evaluations
    }

    /// Hands in the user key's signature, at set-up with the new record.
    public func prove(_ flow: Flow, _ proof: ProofRequest) async throws -> FlowOutcomeResponse {
        try await call(
            flow.endpoint(.proveRegistration, .proveLogin, .proveChange, .proveRecovery), ["flow": flow.handle],
            body: proof)
    }
}

extension EvaluationsRequest.Element {
    init(_ slot: CopySlot, _ element: [UInt8]) { self.init(slot: Int64(slot.byte), element: element) }
}
