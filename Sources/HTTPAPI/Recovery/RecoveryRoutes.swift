import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/recoveries`.
    static let startRecovery = Route(.startRecovery) { exchange in
        try await exchange.started(.recovery, exchange.read(LoginRequest.self))
    }

    /// `POST /v1/recoveries/{flow}/credentials`.
    static let recoverCredentials = Route(.recoverCredentials) { exchange in
        let request = try exchange.read(CredentialsRequest.self)
        return try await exchange.outcome(
            RecoverCredentials(CredentialsInput(request), flow: exchange.captures["flow"], app: exchange.app()))
    }

    /// `GET /v1/companies/{companyName}/recoveries`.
    static let listRecoveries = Route(.listRecoveries) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let views = try await exchange.run(ListRecoveries(company: exchange.company, caller: exchange.employee()))
        return .json(PageResponse(items: views.map(RecoveryResponse.init)))
    }

    /// `POST …/recoveries/{fingerprint}/opening`.
    static let openRecovery = decideRecovery(.openRecovery, .open)
    /// `POST …/recoveries/{fingerprint}/confirmation`.
    static let confirmRecovery = decideRecovery(.confirmRecovery, .confirm)
    /// `POST …/recoveries/{fingerprint}/cancellation`.
    static let cancelRecovery = decideRecovery(.cancelRecovery, .cancel)

    /// `POST /v1/logins/{flow}/recovery/cancellation`.
    static let cancelRecoveryByDevice = Route(.cancelRecoveryByDevice) { exchange in
        let request = try DecisionRequest(json: exchange.document())
        return try await exchange.decision(
            CancelRecoveryByDevice(
                flow: exchange.captures["flow"], signed: request.signed.map { SubmittedStatement($0) },
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
                    signed: request.signed.map { SubmittedStatement($0) }, caller: exchange.employee()))
        }
    }
}

extension RecoveryResponse {
    init(_ view: RecoveryView) {
        self.init(
            employee: EmployeeSummaryResponse(view.employee),
            subject: Subject(tenantId: view.tenantId, userId: view.userId, employeeId: view.employeeId),
            fingerprint: view.fingerprint, state: view.state, requestedAt: view.requestedAt,
            expiresAt: view.expiresAt, openedBy: view.openedBy, availableAt: view.availableAt,
            soleAdmin: view.soleAdmin)
    }
}

extension NoticeResponse {
    init(_ notice: Notice) {
        self.init(
            type: notice.type, openedAt: notice.openedAt, openedBy: notice.openedBy, availableAt: notice.availableAt,
            cancelBefore: notice.cancelBefore)
    }
}
