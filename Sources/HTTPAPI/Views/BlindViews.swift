import IdentityService
import TenureAPI

extension OpeningResponse {
    init(_ opening: CredentialOpening) { self.init(context: opening.context, recordHash: opening.recordHash) }
}

extension SetUpPlanResponse {
    init(_ plan: CredentialSetUpPlan) {
        self.init(
            credentialId: plan.credentialId, userId: plan.userId, oprfAnswers: plan.oprfAnswers,
            oprfPassphrase: plan.oprfPassphrase, log2N: Int64(plan.log2N), r: Int64(plan.r), p: Int64(plan.p),
            previous: plan.previous.map {
                SetUpPlanResponse.Previous(recordHash: $0.hash, generation: Int64($0.generation))
            },
            approvals: plan.approvals.map {
                SetUpPlanResponse.Approvals(opened: $0.opened, confirmed: $0.confirmed)
            })
    }
}

extension EvaluationsResponse {
    init(_ evaluations: [IdentityService.Evaluation]) {
        self.init(
            evaluations: evaluations.map {
                EvaluationsResponse.Evaluation(
                    slot: Int64($0.slot), evaluation: $0.evaluation, sealedCopy: $0.sealedCopy)
            })
    }
}
