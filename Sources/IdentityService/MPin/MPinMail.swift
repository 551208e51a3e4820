import Canonical
import FoundationEssentials
import Identity

/// The mail that verifies an M-Pin identity.
struct MPinMail: Sendable {
    let context: ServiceContext
    let call: Call

    init(_ context: ServiceContext, _ call: Call) {
        self.context = context
        self.call = call
    }

    func charge(_ userID: MPinUserID, app: AppCaller) async throws { throw ServiceError(.mailUnavailable) }

    func add<Answer>(
        for id: MPinIdentityID, in tenant: TenantID, until end: Timestamp, _ languages: [String],
        to recorder: inout DecisionRecorder<Answer>
    ) throws {}
}
