import Credentials
import Crypto
import Foundation
import IdentityService
import TenureAPI
import TenureServer

/// Somebody with a device, a passphrase and a company of their own.
struct BenchPerson: Sendable {
    let company: String
    let email: String
    let passphrase: String
    private let device = P256.Signing.PrivateKey()

    init(number: Int) {
        company = "bench-\(number).example"
        email = "founder\(number)@mail.example"
        passphrase = "Correct horse battery \(number)"
    }

    var publicKey: [UInt8] { Array(device.publicKey.x963Representation) }

    func sign(_ challenge: [UInt8]) throws -> [UInt8] { Array(try device.signature(for: challenge).rawRepresentation) }

    var questions: [(question: String, answer: String)] {
        QuestionList.current.questions.prefix(5).map { ($0.text(in: .english), "answer \($0.number)") }
    }

    var credentials: CredentialsRequest {
        CredentialsRequest(
            securityQuestions: questions.map { .init(question: $0.question, answer: $0.answer) },
            passphrase: passphrase)
    }
}

/// An app that talks to the service; every call has an idempotency key, as the client for apps sends one.
struct BenchSession: Sendable {
    let service: TenureService
    let app: AppCaller

    init(_ service: TenureService, _ secret: OperatorUseCases.IssuedSecret) async throws {
        self.service = service
        let credentials = AuthenticateApp(appId: secret.appId.uuidString.lowercased(), secret: secret.secret)
        app = try await service.run(credentials, Call(requestId: "bench"))
    }

    var call: Call {
        // Not a UUID: making one opens a file, which is the client's work and not the service's.
        Call(
            requestId: "bench", sourceAddress: "192.0.2.1", idempotencyKey: "bench-\(UInt64.random(in: .min ... .max))",
            fingerprintInput: [Array("bench".utf8)])
    }

    /// Runs a use case as a route does, which stores its reply. The reply's bytes are not made here, because a request
    /// makes them with and without a key.
    ///
    /// - Parameter browser: The browser of a form of the pages; `nil` for an app.
    func run<Request: RepeatableUseCase>(
        _ request: Request, in browser: LogInBrowser? = nil
    ) async throws -> Request.Answer {
        var call = call
        call.browser = browser
        let form = WireForm<Request.Answer>(answer: { _ in Self.reply }, refusal: { _ in Self.reply })
        guard case .answered(let answer) = try await service.reply(to: request, call, as: form) else {
            throw BenchError("a call repeated another one")
        }
        return answer
    }

    private static let reply = StoredReply(status: 200, headers: [:], body: String(repeating: "r", count: 600))

    func register(_ person: BenchPerson) async throws {
        let started = try await startRegistration(person)
        _ = try await proveKey(.registration, started, person)
        try expectSuccess(await run(SetCredentials(person.credentials, flow: started.flow, app: app)))
    }

    @discardableResult func logIn(_ person: BenchPerson) async throws -> SessionResponse {
        let started = try await startLogin(person)
        _ = try await proveKey(.login, started, person)
        return try expectSuccess(
            await run(
                ValidateCredential(
                    .passphrase(person.passphrase), purpose: .login, flow: started.flow, app: app)))
    }

    /// Logs somebody in in a browser, and returns its cookie.
    func enter(_ person: BenchPerson) async throws -> String {
        let started = try await startLogin(person), form = "bench-\(UInt64.random(in: .min ... .max))"
        _ = try await proveKey(.login, started, person)
        let secret = ValidateCredential(
            .passphrase(person.passphrase), purpose: .login, flow: started.flow, app: app)
        let outcome = try await run(secret, in: LogInBrowser(form: form, cookie: nil))
        guard case .success(_, let employee, _) = outcome else {
            throw BenchError("a flow ended otherwise than with success")
        }
        let take = TakeBrowserCookie(form: form, tenant: employee.tenantId, request: "", known: nil)
        return try await service.run(take, call).session
    }

    func startRegistration(_ person: BenchPerson) async throws -> FlowStartedResponse {
        try await run(
            StartRegistration(
                RegistrationRequest(
                    companyName: person.company, companyEmployeeId: "founder", email: person.email,
                    employeePublicKey: person.publicKey), app: app))
    }

    func startLogin(_ person: BenchPerson) async throws -> FlowStartedResponse {
        try await run(
            StartLogin(
                .login,
                LoginRequest(
                    companyName: person.company, companyEmployeeId: "founder", employeePublicKey: person.publicKey),
                app: app))
    }

    func proveKey(_ purpose: FlowKind, _ started: FlowStartedResponse, _ person: BenchPerson) async throws
        -> FlowOutcomeResponse
    {
        try await run(ProveKey(person.sign(started.challenge), purpose: purpose, flow: started.flow, app: app))
    }

    func evaluate(
        _ purpose: FlowKind, _ started: FlowStartedResponse, _ elements: [EvaluationsRequest.Element]
    ) async throws -> EvaluationsResponse {
        try await run(EvaluateElements(elements, purpose: purpose, flow: started.flow, app: app))
    }

    func prove(_ purpose: FlowKind, _ started: FlowStartedResponse, _ proof: ProofRequest) async throws {
        try expectSuccess(await run(ProveCredential(proof, purpose: purpose, flow: started.flow, app: app)))
    }

    @discardableResult private func expectSuccess(_ outcome: FlowOutcomeResponse) throws -> SessionResponse {
        guard case .success(let session, _, _) = outcome else {
            throw BenchError("a flow ended otherwise than with success")
        }
        return session
    }
}
