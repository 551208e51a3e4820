import AccessTokens
import Canonical
import ErrorCodes
import FoundationEssentials
import TenureAPI
@testable import IdentityService
@testable import TenureServer

/// A service that answers fixed things, records what it was asked, and fails on demand.
struct FakeService: UseCaseRunner {
    static let secret = "s3cret:with:colons"
    static let token = "dG9rZW4"
    static let appId = UUID(uuid: (1, 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 1))
    static let employeeId = UUID(uuid: (2, 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 2))
    static let time = Timestamp(microseconds: 1_800_000_000_000_000)
    static let fingerprint = String(repeating: "ab", count: 32)

    let recorder = Recorder()
    /// Thrown by every method after authentication.
    var failure: (any Error & Sendable)?
    var outcome = FlowOutcomeResponse.validateAnswers(
        challenge: [1, 2, 3], questions: [QuestionResponse(questionId: "AAAA", question: "Why?")])
    var decision = DecisionResponse.done(
        EmployeeSummaryResponse(
            employeeId: Self.employeeId, tenantId: Self.appId, companyName: "Acme", companyEmployeeId: "7",
            status: "active", role: "employee"), position: 9)
    /// What links in mails do.
    var emailLink = ConfirmEmail.Answer.verified
    /// Whether the address of the account is verified.
    var isEmailVerified = true
    /// The role of the session's device key.
    var sessionRole = "admin"
    /// Whether mails tell the admin who waits.
    var waitingMails = WaitingMails.on
    /// The answer to the code of a claimed address.
    var claimAnswer = ClaimAnswer.proved
    var returnLink = ConfirmReturn.Answer.done
    var next: Int64?
    var missing: [String] = []
    var stoppedViews: [String: Int] = [:]
    var seals: [String] = []
    var clocks: [String] = []
    /// What introspection tells.
    var claims: AccessTokenClaims? = Self.activeClaims
    /// What waits for consent.
    var pending: AwaitedAuthorization? = Self.pending()
    /// The session of the one cookie.
    var browser = Self.browser()
    /// Whether the operator has enabled the pages.
    var hasPagesApp = true
    /// Who may found a tenant on the pages.
    var founding = FoundingRule.open
    /// The language that the person is known to read.
    var language: String?
    /// Whether mails are sent.
    var sendsMails = true
    /// What the OpenID provider answers.
    var provider = ProviderAnswers()
    /// The passkeys of the account; `nil` if the service takes none.
    var passkeys: OwnPasskeys?
    /// The question before an approval.
    var words = Self.words
    /// What becomes of the words that somebody chose.
    var wordChoice = WordChoice.right
    /// Who waits for an admin.
    var waiting = [Self.waiting()]
    /// What a waiting browser sees.
    var wait: WaitView? = Self.wait()
    /// What the page behind the link of a mail shows.
    var deviceMail: DeviceMailView? = Self.deviceMail()
    /// What becomes of a code.
    var deviceCode = EnterDeviceCode.Answer.confirmed
    /// What a browser's flow waits for.
    var view = Self.view()
    /// Thrown by the methods of these names.
    var refusals: [String: ServiceError] = [:]
    /// How long each method takes.
    var delay: Duration = .zero

    func enter(_ name: String, _ details: [String: String] = [:], _ call: Call? = nil) async throws {
        await recorder.add(.init(name: name, details: details, call: call))
        if delay > .zero { try await Task.sleep(for: delay) }
        if let failure { throw failure }
        if let refusal = refusals[name] { throw refusal }
    }

    func run<Request: UseCase>(_ request: Request, _ call: Call) async throws -> Request.Answer {
        try await typed(answer(to: request, call))
    }

    func reply<Request: RepeatableUseCase>(
        to request: Request, _ call: Call, as form: WireForm<Request.Answer>
    ) async throws -> CallResult<Request.Answer> {
        .answered(try await run(request, call))
    }

    func read<Read: ProjectionRead>(_ read: Read) async throws -> Read.Answer {
        try await typed(projection(of: read))
    }

    private func answer(to request: any UseCase, _ call: Call) async throws -> any Sendable {
        if let answer = try await callerAnswer(to: request) { return answer }
        if let answer = try await flowAnswer(to: request, call) { return answer }
        if let answer = try await sessionAnswer(to: request, call) { return answer }
        if let answer = try await decisionAnswer(to: request, call) { return answer }
        if let answer = try await recoveryAnswer(to: request, call) { return answer }
        if let answer = try await mpinAnswer(to: request, call) { return answer }
        if let answer = try await tokenAnswer(to: request, call) { return answer }
        if let answer = try await providerAnswer(to: request, call) { return answer }
        if let answer = try await companyAnswer(to: request) { return answer }
        if let answer = try await pageAnswer(to: request, call) { return answer }
        if let answer = try await logInAnswer(to: request, call) { return answer }
        if let answer = try await accountAnswer(to: request, call) { return answer }
        if let answer = try await waitAnswer(to: request, call) { return answer }
        throw Unanswered(request: "\(type(of: request))")
    }

    private func typed<Answer>(_ answer: any Sendable) throws -> Answer {
        guard let answer = answer as? Answer else { throw Unanswered(request: "\(Answer.self)") }
        return answer
    }

    /// A request that this service has no answer to.
    struct Unanswered: Error { let request: String }

    private func callerAnswer(to request: any UseCase) async throws -> (any Sendable)? {
        switch request {
        case let app as AuthenticateApp:
            await recorder.add(
                .init(name: "authenticateApp", details: ["appId": app.appId, "secret": app.secret]))
            guard app.appId == "app" else { throw ServiceError(.appUnknown) }
            guard app.secret == Self.secret else { throw ServiceError(.appSecretInvalid) }
            return AppCaller(
                appId: Self.appId, secretId: Self.appId, roles: AppLinkRequest.Role.usual,
                presented: PresentedSecret(secret: [], salt: []))
        case let session as AuthenticateSession:
            await recorder.add(.init(name: "authenticateEmployee", details: ["token": session.accessToken]))
            guard session.accessToken == Self.token else { throw ServiceError(.sessionInvalid) }
            return EmployeeCaller(
                tenantId: Self.employeeId, employeeId: Self.employeeId, sessionId: Self.employeeId, fingerprint: [],
                secretProved: true)
        default: return nil
        }
    }

    func readiness() async -> ReadinessReport {
        ReadinessReport(
            missing: missing, stoppedViews: stoppedViews, seals: seals, clocks: clocks, lacksPages: !hasPagesApp)
    }
}

/// What the fake service was asked to do.
actor Recorder {
    /// One call of the service.
    struct Entry: Sendable {
        var name: String
        var details: [String: String] = [:]
        var call: Call?
    }

    private(set) var entries: [Entry] = []

    func add(_ entry: Entry) { entries.append(entry) }

    var last: Entry? { entries.last }

    /// The calls beside authentication.
    var work: [Entry] { entries.filter { !$0.name.hasPrefix("authenticate") } }
}

/// A request that each operation accepts.
enum Samples {
    static let registration =
        #"{"companyName":"Acme","companyEmployeeId":"7","email":"a@b.example","employeePublicKey":"\#(key)"}"#
    static let login = #"{"companyName":"Acme","companyEmployeeId":"7","employeePublicKey":"\#(key)"}"#
    /// 65 bytes.
    private static let key = "B" + String(repeating: "A", count: 86) + "="
    /// The shortest signature in DER.
    private static let signature = "MAYCAQECAQE="
    private static let passkeyAnswer =
        #"{"credentialId":"AQ","authenticatorData":"AQ","clientDataJSON":"e30","signature":"AQ","userHandle":"AQ"}"#
    static let answers = #"{"answers":[{"questionId":"AAAA","answer":"x"}]}"#
    private static let credentials =
        #"{"securityQuestions":["#
        + (1...5).map { #"{"question":"Q\#($0)","answer":"A"}"# }.joined(separator: ",") + "]}"
    private static let threeAnswers =
        #"{"answers":["# + (1...3).map { #"{"questionId":"AAA\#($0)","answer":"x"}"# }.joined(separator: ",") + "]}"

    static func body(_ endpoint: Endpoint) -> String? {
        if let body = mpinBody(endpoint) ?? tokenBody(endpoint) { return body }
        return switch endpoint {
        case .startRegistration: registration
        case .startLogin, .startChange, .startRecovery, .startReturn: login
        case .proveRegistrationKey, .proveLoginKey, .proveChangeKey, .proveRecoveryKey, .proveReturnKey:
            #"{"keyProof":"\#(signature)"}"#
        case .setCredentials, .recoverCredentials: credentials
        case .changeCredentials: #"{"currentPassphrase":"correct horse","credentials":"# + credentials + "}"
        case .validateRegistrationAnswers, .validateLoginAnswers, .validateReturnAnswers: threeAnswers
        case .validateRegistrationPassphrase, .validateLoginPassphrase, .validateReturnPassphrase:
            #"{"passphrase":"correct horse"}"#
        case .evaluateRegistration, .evaluateLogin, .evaluateChange, .evaluateRecovery, .evaluateReturn:
            #"{"elements":[{"slot":255,"element":"Ag\#(String(repeating: "A", count: 64))=="}]}"#
        case .proveRegistration, .proveLogin, .proveChange, .proveRecovery, .proveReturn:
            #"{"userSignature":"\#(signature)"}"#
        case .answerPasskeyLogin: #"{"challenge":"AQ","answer":\#(passkeyAnswer)}"#
        case .presentPasskey:
            #"{"challenge":"AQ","creation":{"authenticatorData":"AQ","clientDataJSON":"e30"},"answer":\#(passkeyAnswer)}"#
        case .refreshSession: #"{"refreshToken":"cg"}"#
        case .refuseKey, .revokeKey, .revokeDevice, .cancelRecovery: #"{"reason":"lost.device"}"#
        case .issueInvitation: #"{"companyEmployeeId":"7"}"#
        case .reclaimEmail: #"{"email":"a@b.example","reason":"left"}"#
        case .changeRole: #"{"role":"admin"}"#
        case .changePolicy: #"{"blindOnly":true}"#
        default: nil
        }
    }

    static func path(_ endpoint: Endpoint) -> String {
        endpoint.template.path(
            Dictionary(
                uniqueKeysWithValues: endpoint.template.captures.map { ($0, $0 == "position" ? "7" : "v-\($0)") }))
    }

    static func authorization(_ endpoint: Endpoint) -> String? {
        switch endpoint.access {
        case .anyone: nil
        case .app, .appOrEmployee: API.basic
        case .employee: API.bearer
        }
    }
}

/// Errors of the service by their codes.
enum ServiceErrors {
    static func named(_ code: String) -> ServiceError? { ErrorCode(rawValue: code).map { ServiceError($0) } }
}
