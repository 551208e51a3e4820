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

    var credentials: CredentialsInput {
        CredentialsInput(
            securityQuestions: (1...5).map { (question: "Question \($0)?", answer: "answer \($0)") },
            passphrase: passphrase, questionsWithPassphrase: false)
    }
}

/// An app that talks to the service; every call has an idempotency key, as the client for apps sends one.
struct BenchSession: Sendable {
    private let service: EventSourcedService
    private let app: AppCaller

    init(_ service: EventSourcedService, _ secret: OperatorCommands.IssuedSecret) async throws {
        self.service = service
        app = try await service.authenticate(appId: secret.appId.uuidString.lowercased(), secret: secret.secret)
    }

    private var call: Call {
        Call(
            requestId: "bench", sourceAddress: "192.0.2.1", idempotencyKey: UUID().uuidString,
            fingerprintInput: Array("bench".utf8))
    }

    func register(_ person: BenchPerson) async throws {
        let started = try await service.startRegistration(
            RegistrationInput(
                companyName: person.company, companyEmployeeId: "founder", email: person.email,
                isCompanyOwnedEmail: false, employeePublicKey: person.publicKey), app: app, call: call)
        _ = try await service.proveKey(
            purpose: .registration, flow: started.flow, proof: person.sign(started.challenge), app: app, call: call)
        try expectSuccess(
            await service.setCredentials(flow: started.flow, person.credentials, app: app, call: call))
    }

    func logIn(_ person: BenchPerson) async throws {
        let started = try await service.startLogin(
            LoginInput(
                companyName: person.company, companyEmployeeId: "founder", employeePublicKey: person.publicKey),
            app: app, call: call)
        _ = try await service.proveKey(
            purpose: .login, flow: started.flow, proof: person.sign(started.challenge), app: app, call: call)
        try expectSuccess(
            await service.validatePassphrase(
                purpose: .login, flow: started.flow, passphrase: person.passphrase, app: app, call: call))
    }

    private func expectSuccess(_ outcome: FlowOutcome) throws {
        guard case .success = outcome else { throw BenchError("a flow ended otherwise than with success") }
    }
}
