import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations/{flow}/credentials`.
    static let setCredentials = Route(.setCredentials, body: .required) { exchange in
        let request = try exchange.read(CredentialsRequest.self)
        let input = CredentialsInput(
            securityQuestions: request.securityQuestions.map { ($0.question, $0.answer) },
            passphrase: request.passphrase, questionsWithPassphrase: request.questionsWithPassphrase)
        return .outcome(
            try await exchange.service.setCredentials(
                flow: exchange.captures["flow"], input, app: exchange.app(), call: exchange.call))
    }
}
