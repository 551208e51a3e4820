import Credentials
import Crypto
import Foundation
import IdentityService

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

    var credentials: CredentialsInput {
        CredentialsInput(texts: questions, passphrase: passphrase, questionsWithPassphrase: false)
    }
}

/// An app that talks to the service; every call has an idempotency key, as the client for apps sends one.
struct BenchSession: Sendable {
    private let service: EventSourcedService
    private let app: AppCaller

    init(_ service: EventSourcedService, _ secret: OperatorUseCases.IssuedSecret) async throws {
        self.service = service
        app = try await service.authenticate(appId: secret.appId.uuidString.lowercased(), secret: secret.secret)
    }

    private var call: Call {
        // Not a UUID: making one opens a file, which is the client's work and not the service's.
        Call(
            requestId: "bench", sourceAddress: "192.0.2.1", idempotencyKey: "bench-\(UInt64.random(in: .min ... .max))",
            fingerprintInput: Array("bench".utf8))
    }

    func register(_ person: BenchPerson) async throws {
        let started = try await startRegistration(person)
        _ = try await proveKey(.registration, started, person)
        try expectSuccess(
            await service.setCredentials(flow: started.flow, person.credentials, app: app, call: call))
    }

    func logIn(_ person: BenchPerson) async throws {
        let started = try await startLogin(person)
        _ = try await proveKey(.login, started, person)
        try expectSuccess(
            await service.validatePassphrase(
                purpose: .login, flow: started.flow, passphrase: person.passphrase, app: app, call: call))
    }

    func startRegistration(_ person: BenchPerson) async throws -> FlowStarted {
        try await service.startRegistration(
            RegistrationInput(
                companyName: person.company, companyEmployeeId: "founder", email: person.email,
                isCompanyOwnedEmail: false, employeePublicKey: person.publicKey), app: app, call: call)
    }

    func startLogin(_ person: BenchPerson) async throws -> FlowStarted {
        try await service.startLogin(
            LoginInput(
                companyName: person.company, companyEmployeeId: "founder", employeePublicKey: person.publicKey),
            app: app, call: call)
    }

    func proveKey(_ purpose: FlowKind, _ started: FlowStarted, _ person: BenchPerson) async throws -> StepAnswer {
        try await service.proveKey(
            purpose: purpose, flow: started.flow, proof: person.sign(started.challenge), app: app, call: call)
    }

    func evaluate(
        _ purpose: FlowKind, _ started: FlowStarted, _ elements: [ElementInput]
    ) async throws -> [Evaluation] {
        try await service.evaluate(purpose: purpose, flow: started.flow, elements: elements, app: app, call: call)
    }

    func prove(_ purpose: FlowKind, _ started: FlowStarted, _ proof: ProofInput) async throws {
        try expectSuccess(
            await service.prove(purpose: purpose, flow: started.flow, proof: proof, app: app, call: call))
    }

    private func expectSuccess(_ outcome: StepAnswer) throws {
        guard case .success = outcome else { throw BenchError("a flow ended otherwise than with success") }
    }
}
