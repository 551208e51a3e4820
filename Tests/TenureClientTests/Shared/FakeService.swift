import Canonical
import Credentials
import ErrorCodes
import Foundation
import TenureAPI
@testable import TenureClient

/// A service that goes through flows with real challenges and gives the answers that it was told to.
actor FakeService: Transport {
    /// What a call gets.
    enum Reply: Sendable {
        case outcome(FlowOutcomeResponse)
        case problem(String, retryAfter: Int? = nil)
        case response(WireResponse)
        /// Success with tokens that end this many seconds from now.
        case success(lifetime: Int = 600)
        /// Pending with the key that was presented.
        case pending
        case lose
        /// Nothing, until the caller gives up.
        case hang
    }

    static let questions = (1...5).map { QuestionResponse(questionId: "id\($0)", question: "Question \($0)?") }
    static let rules = CredentialRulesResponse(
        questions: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: true, blindOnly: false)

    /// What the key step asks for.
    private var asked: FlowOutcomeResponse
    /// What key steps get before that, in order.
    private var askedFirst: [Reply] = []
    /// What the calls after it get, in order; the last one is repeated.
    private var replies: [Reply]
    private var presented: EmployeePublicKey?
    private(set) var sent: [WireRequest] = []
    private var issued = 0
    private var app = "app"
    private var refreshes: [Reply] = []

    init(asking asked: FlowOutcomeResponse, _ replies: [Reply] = [.success()]) {
        self.asked = asked
        self.replies = replies
    }

    /// Names another app in challenges.
    func answerApp(_ name: String) { app = name }

    /// What key steps get, in order; the last one is repeated.
    func ask(_ replies: [Reply]) { askedFirst = replies }

    /// What refreshes get, in order; success when there is nothing more.
    func refresh(_ replies: [Reply]) { refreshes = replies }

    /// The requests whose address ends so.
    func sent(_ suffix: String) -> [WireRequest] { sent.filter { $0.url.hasSuffix(suffix) } }

    func send(_ request: WireRequest) async throws -> WireResponse {
        sent.append(request)
        // Callers meet each other here.
        await Task.yield()
        let path = request.url.firstRange(of: "/v1/").map { String(request.url[$0.lowerBound...]) } ?? ""
        if ["/v1/registrations", "/v1/logins", "/v1/credentials/changes", "/v1/recoveries"].contains(path) {
            return try started(request, path)
        }
        if path == "/v1/sessions/refresh" {
            return try await answer(refreshes.isEmpty ? .success() : refreshes.removeFirst(), isRefresh: true)
        }
        if path.hasSuffix("/key"), let first = askedFirst.first {
            if askedFirst.count > 1 { askedFirst.removeFirst() }
            return try await answer(first)
        }
        if path.hasSuffix("/key") { return WireResponse(status: 200, body: asked.bytes) }
        return try await answer(replies.count > 1 ? replies.removeFirst() : replies[0])
    }

    private func started(_ request: WireRequest, _ path: String) throws -> WireResponse {
        let body = request.body ?? []
        let isLogin = path != "/v1/registrations"
        let purposes: [String: Challenge.Purpose] = [
            "/v1/logins": .login, "/v1/credentials/changes": .change, "/v1/recoveries": .recovery,
        ]
        let purpose = purposes[path] ?? .registration
        let point =
            isLogin
            ? try LoginRequest(bytes: body).employeePublicKey : try RegistrationRequest(bytes: body).employeePublicKey
        let key = try EmployeePublicKey(bytes: point)
        presented = key
        let flow = UUID()
        let salt = [UInt8](repeating: 8, count: 32)
        let (company, employee) =
            isLogin
            ? { ($0.companyName, $0.companyEmployeeId) }(try LoginRequest(bytes: body))
            : { ($0.companyName, $0.companyEmployeeId) }(try RegistrationRequest(bytes: body))
        let challenge = try Challenge(
            .init(
                issuer: "tenure", purpose: purpose, flow: flow,
                nonce: Array(repeating: 7, count: 32), tenant: UUID(),
                subject: try Commitment.subject(salt: salt, companyName: company, companyEmployeeId: employee),
                app: app, employeeKey: key,
                credential: nil, expires: Timestamp.now().adding(.seconds(60))))
        let started = FlowStartedResponse(
            flow: Base64URL.encode(flow.bytes), challenge: challenge.bytes, subjectSalt: salt, expiresAt: .now())
        return WireResponse(status: 201, body: started.bytes)
    }

    private func answer(_ reply: Reply, isRefresh: Bool = false) async throws -> WireResponse {
        switch reply {
        case .outcome(let outcome): return WireResponse(status: 200, body: outcome.bytes)
        case .response(let response): return response
        case .problem(let code, let retryAfter):
            guard case .answer(let response) = StubTransport.problem(code, retryAfter: retryAfter) else {
                throw StubTransport.Lost()
            }
            return response
        case .success(let lifetime):
            issued += 1
            let tokens = SessionResponse(
                accessToken: "access\(issued)", expiresAt: Timestamp.now().adding(.seconds(lifetime)),
                refreshToken: "refresh\(issued)")
            if isRefresh { return WireResponse(status: 200, body: tokens.bytes) }
            let employee = EmployeeSummaryResponse(
                employeeId: UUID(), tenantId: UUID(), companyName: "A", companyEmployeeId: "7", status: "active",
                role: "employee")
            return WireResponse(
                status: 200, body: FlowOutcomeResponse.success(tokens, employee, position: 4).bytes)
        case .pending:
            guard let presented else { throw StubTransport.Lost() }
            return WireResponse(
                status: 200,
                body: FlowOutcomeResponse.authorizationPending(
                    employeePublicKey: presented.bytes, fingerprint: presented.fingerprint, position: 3
                ).bytes)
        case .lose: throw StubTransport.Lost()
        case .hang:
            try await Task.sleep(for: .seconds(3600))
            throw StubTransport.Lost()
        }
    }
}

extension FlowOutcomeResponse {
    static let asksForCredentials = setCredentials(challenge: [1], rules: FakeService.rules)
    static let asksForAnswers = validateAnswers(challenge: [1], questions: FakeService.questions)
    static let asksForPassphrase = validatePassphrase(challenge: [1], questions: nil)
    static let asksForEither = validatePassphrase(challenge: [1], questions: FakeService.questions)
}

extension TenureClient {
    /// A client of a fake service, with stores in memory.
    init(
        _ service: FakeService, attempts: Int = 2, mode: Mode = .automatic, issuer: String? = nil,
        keyStore: any DeviceKeyStore = MemoryDeviceKeyStore(), sessionStore: any SessionStore = MemorySessionStore(),
        pinStore: any PinStore = MemoryPinStore()
    ) {
        self.init(
            baseURL: "https://id.example", appCredentials: AppCredentials(appId: "app", secret: "s"),
            transport: service, retries: RetryPolicy(attempts: attempts, firstWait: .milliseconds(1)), issuer: issuer,
            mode: mode, keyStore: keyStore, sessionStore: sessionStore, pinStore: pinStore)
    }
}

/// The code that `work` throws; `nil` when it throws none.
func code(_ work: () async throws -> Void) async -> String? {
    do {
        try await work()
        return nil
    } catch { return error is CancellationError ? "CancellationError" : (error as? TenureClientError)?.code.rawValue }
}

let fiveQuestions = (1...5).map { SecurityQuestionAnswer(question: "Question \($0)?", answer: "Answer \($0)") }
let threeAnswers = (1...3).map { SecurityAnswer(questionId: "id\($0)", answer: "Answer \($0)") }

/// Answers what it was told to, in order, and keeps what it was sent.
actor StubTransport: Transport {
    /// One step of the script.
    enum Step: Sendable {
        case answer(WireResponse)
        case lose
    }

    struct Lost: Error {}

    private var script: [Step]
    private(set) var sent: [WireRequest] = []

    init(_ script: [Step]) { self.script = script }

    func send(_ request: WireRequest) async throws -> WireResponse {
        sent.append(request)
        guard !script.isEmpty else { throw Lost() }
        switch script.removeFirst() {
        case .answer(let response): return response
        case .lose: throw Lost()
        }
    }

    static func json(_ value: some JSONConvertible, status: Int = 200) -> Step {
        .answer(WireResponse(status: status, body: value.bytes))
    }

    static func problem(_ code: String, retryAfter: Int? = nil) -> Step {
        guard let code = ErrorCode(rawValue: code) else { return .lose }
        let headers = retryAfter.map { ["retry-after": String($0)] } ?? [:]
        return .answer(
            WireResponse(status: code.status, headers: headers, body: Problem(code, requestId: "r").bytes))
    }
}

extension TenureClient {
    /// A client that waits next to nothing between tries.
    init(_ transport: StubTransport, attempts: Int = 3) {
        self.init(
            baseURL: "https://id.example/", appCredentials: AppCredentials(appId: "app", secret: "s:c"),
            transport: transport, retries: RetryPolicy(attempts: attempts, firstWait: .milliseconds(1)))
    }
}
