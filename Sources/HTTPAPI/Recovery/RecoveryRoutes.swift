import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/recoveries`.
    static let startRecovery = Route(.startRecovery, body: .required) { exchange in
        let request = try exchange.read(LoginRequest.self)
        let started = try await exchange.service.startRecovery(
            LoginInput(
                companyName: request.companyName, companyEmployeeId: request.companyEmployeeId,
                employeePublicKey: request.employeePublicKey),
            app: exchange.app(), call: exchange.call)
        return .json(FlowStartedResponse(started), status: 201)
    }

    /// `POST /v1/recoveries/{flow}/credentials`.
    static let recoverCredentials = Route(.recoverCredentials, body: .required) { exchange in
        let request = try exchange.read(CredentialsRequest.self)
        let input = CredentialsInput(
            securityQuestions: request.securityQuestions.map { (QuestionInput($0.choice), $0.answer) },
            passphrase: request.passphrase, questionsWithPassphrase: request.questionsWithPassphrase)
        return .outcome(
            try await exchange.service.recoverCredentials(
                flow: exchange.captures["flow"], input, app: exchange.app(), call: exchange.call))
    }

    /// `GET /v1/companies/{companyName}/recoveries`.
    static let listRecoveries = Route(.listRecoveries) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let views = try await exchange.service.recoveries(of: exchange.company, caller: exchange.employee())
        return .json(PageResponse(items: views.map(RecoveryResponse.init)))
    }

    /// `POST …/recoveries/{fingerprint}/opening`.
    static let openRecovery = decideRecovery(.openRecovery, .open, body: .optional)
    /// `POST …/recoveries/{fingerprint}/confirmation`.
    static let confirmRecovery = decideRecovery(.confirmRecovery, .confirm, body: .optional)
    /// `POST …/recoveries/{fingerprint}/cancellation`.
    static let cancelRecovery = decideRecovery(.cancelRecovery, .cancel, body: .required)

    /// `POST /v1/logins/{flow}/recovery/cancellation`.
    static let cancelRecoveryByDevice = Route(.cancelRecoveryByDevice, body: .optional) { exchange in
        let request = try DecisionRequest(json: exchange.document())
        return .decision(
            try await exchange.service.cancelRecovery(
                flow: exchange.captures["flow"], signed: request.signed.map { SubmittedStatement($0) },
                app: exchange.app(), call: exchange.call))
    }

    private static func decideRecovery(
        _ endpoint: Endpoint, _ action: RecoveryDecisionInput.Action, body: Body
    ) -> Route {
        Route(endpoint, body: body) { exchange in
            let document = try exchange.document()
            let request =
                action == .cancel
                ? try DecisionRequest(jsonWithReason: document) : try DecisionRequest(json: document)
            let input = RecoveryDecisionInput(
                action: action, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                fingerprint: exchange.captures["fingerprint"], reason: request.reason,
                signed: request.signed.map { SubmittedStatement($0) })
            return .decision(
                try await exchange.service.decideRecovery(input, caller: exchange.employee(), call: exchange.call))
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
