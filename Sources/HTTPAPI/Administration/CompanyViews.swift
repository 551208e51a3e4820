import IdentityService
import TenureAPI
import TenureServer

extension CompanyResponse {
    init(_ view: CompanyView) {
        self.init(
            tenantId: view.tenantId, companyName: view.companyName, foundedAt: view.foundedAt,
            employees: view.employees,
            confirmedDomain: view.confirmedDomain, position: view.position)
    }
}

extension EmployeeKeyResponse {
    init(_ view: EmployeeKeyView) {
        self.init(
            fingerprint: view.fingerprint, employeePublicKey: view.employeePublicKey, state: view.state,
            presentedAt: view.presentedAt, decidedAt: view.decidedAt)
    }
}

extension EmployeeResponse {
    init(_ view: EmployeeView) {
        self.init(
            employeeId: view.summary.employeeId, tenantId: view.summary.tenantId,
            companyName: view.summary.companyName, companyEmployeeId: view.summary.companyEmployeeId,
            status: view.summary.status, role: view.summary.role, email: view.email,
            isCompanyOwnedEmail: view.isCompanyOwnedEmail, registeredAt: view.registeredAt,
            keys: view.keys?.map(EmployeeKeyResponse.init))
    }
}

extension SecurityAdminResponse {
    init(_ view: SecurityAdminView) {
        self.init(
            employee: EmployeeSummaryResponse(view.employee), eventId: view.eventId, position: view.position,
            since: view.since)
    }
}

extension PendingAuthorizationResponse {
    init(_ view: PendingAuthorizationView) {
        self.init(
            employee: EmployeeSummaryResponse(view.employee), key: EmployeeKeyResponse(view.key),
            expiresAt: view.expiresAt, position: view.position, statement: view.statement)
    }
}

extension PolicyResponse {
    init(_ view: PolicyView) {
        self.init(
            keyAuthorization: view.keyAuthorization, approval: view.approval, blindOnly: view.blindOnly,
            questionsWithPassphrase: view.questionsWithPassphrase, registrationMode: view.registrationMode,
            recoveryDelayHours: Int64(view.recoveryDelayHours), adminSessionHours: Int64(view.adminSessionHours),
            version: Int64(view.version))
    }
}

extension EventResponse {
    init(_ view: EventView) {
        self.init(
            position: view.position, eventId: view.eventId, type: view.type, stream: view.stream,
            streamVersion: Int64(view.streamVersion), time: view.time, actor: view.actor, app: view.app,
            requestId: view.requestId, data: view.data)
    }
}

extension OpenSessionResponse {
    init(_ view: SessionView) {
        self.init(
            sessionId: view.sessionId, fingerprint: view.fingerprint, createdAt: view.createdAt,
            expiresAt: view.expiresAt, isCurrent: view.isCurrent)
    }
}

extension MeResponse {
    init(_ view: MeView) {
        self.init(
            tenantId: view.tenantId, employeeId: view.employeeId, companyName: view.summary.companyName,
            companyEmployeeId: view.summary.companyEmployeeId, status: view.summary.status, role: view.summary.role,
            emailVerified: view.emailVerified,
            session: Session(
                sessionId: view.session.sessionId, fingerprint: view.session.fingerprint, role: view.sessionRole,
                createdAt: view.session.createdAt, expiresAt: view.session.expiresAt),
            app: App(appId: view.appId, name: view.appName), notices: view.notices.map(NoticeResponse.init))
    }
}

extension DeviceResponse {
    init(_ view: DeviceView) {
        self.init(
            fingerprint: view.fingerprint, employeePublicKey: view.employeePublicKey, state: view.state,
            isCurrent: view.isCurrent, presentedAt: view.presentedAt,
            presentedBy: view.presentedBy.map { Presenter(appId: $0.appId, name: $0.name) },
            authorizedAt: view.authorizedAt,
            endedAt: view.endedAt, lastUsedAt: view.lastUsedAt,
            authorizedBy: view.authorizedBy.map {
                Authorizer(kind: $0.kind, companyEmployeeId: $0.companyEmployeeId, appId: $0.appId)
            })
    }
}

extension SubmittedStatement {
    init(_ signed: StatementSignature) { self.init(statement: signed.statement, signature: signed.signature) }
}

extension Reply {
    /// Replies with a decision that is made, or with the statement to sign.
    static func decision(_ decision: Decision) -> Reply {
        switch decision {
        case .done(let employee, let position):
            json(
                DecisionResponse.done(employee.map(EmployeeSummaryResponse.init), position: position),
                position: position)
        case .signatureRequired(let statement): json(DecisionResponse.signatureRequired(statement: statement))
        }
    }
}
