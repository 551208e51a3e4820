import IdentityService
import TenureAPI

extension Route {
    static let startRecovery = Route(.startRecovery) { exchange in
        try await exchange.started(.recovery, exchange.read(LoginRequest.self))
    }

    static let recoverCredentials = Route(.recoverCredentials) { exchange in
        let request = try exchange.read(CredentialsRequest.self)
        return try await exchange.outcome(
            RecoverCredentials(request, flow: exchange.captures["flow"], app: exchange.app()))
    }

    static let listRecoveries = Route(.listRecoveries) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let views = try await exchange.run(ListRecoveries(company: exchange.company, caller: exchange.employee()))
        return .json(PageResponse(items: views))
    }

    static let openRecovery = decideRecovery(.openRecovery, .open)
    static let confirmRecovery = decideRecovery(.confirmRecovery, .confirm)
    static let cancelRecovery = decideRecovery(.cancelRecovery, .cancel)

    static let cancelRecoveryByDevice = Route(.cancelRecoveryByDevice) { exchange in
        let request = try DecisionRequest(json: exchange.document())
        return try await exchange.decision(
            CancelRecoveryByDevice(
                flow: exchange.captures["flow"], signed: request.signed,
                app: exchange.app()))
    }

    private static func decideRecovery(
        _ endpoint: Endpoint, _ action: DecideRecovery.Action
    ) -> Route {
        Route(endpoint) { exchange in
            let document = try exchange.document()
            let request =
                action == .cancel
                ? try DecisionRequest(jsonWithReason: document) : try DecisionRequest(json: document)
            return try await exchange.decision(
                DecideRecovery(
                    action, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                    fingerprint: exchange.captures["fingerprint"], reason: request.reason,
                    signed: request.signed, caller: exchange.employee()))
        }
    }
}
