import Canonical
import ErrorCodes
import FoundationEssentials

/// A step of a flow that was started before.
package protocol FlowStepUseCase<Answer>: AppUseCase {
    var purpose: FlowKind { get }
    /// The flow's handle.
    var flow: String { get }
}

extension FlowStepUseCase {
    package func authorize() throws(ServiceError) { try app.require(purpose) }

    package func firstReads(in context: ServiceContext) -> PipelinedReads? { FlowStore.reading(flow) }
}
