import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/credentials/changes`.
    static let startChange = Route(.startChange, body: .required) { exchange in
        let request = try exchange.read(LoginRequest.self)
        let started = try await exchange.service.startChange(
            LoginInput(
                companyName: request.companyName, companyEmployeeId: request.companyEmployeeId,
                employeePublicKey: request.employeePublicKey),
            app: exchange.app(), call: exchange.call)
        return .json(FlowStartedResponse(started), status: 201)
    }

    /// `POST /v1/credentials/changes/{flow}/credentials`.
    static let changeCredentials = Route(.changeCredentials, body: .required) { exchange in
        let request = try exchange.read(CredentialsChangeRequest.self)
        let current: ChangeInput.Current =
            switch request.current {
            case .answers(let answers):
                .answers(answers.map { AnswerInput(questionId: $0.questionId, answer: $0.answer) })
            case .passphrase(let text): .passphrase(text)
            }
        let new = request.credentials
        return .outcome(
            try await exchange.service.changeCredentials(
                flow: exchange.captures["flow"],
                ChangeInput(
                    current: current,
                    credentials: CredentialsInput(
                        securityQuestions: new.securityQuestions.map { ($0.question, $0.answer) },
                        passphrase: new.passphrase, questionsWithPassphrase: new.questionsWithPassphrase)),
                app: exchange.app(), call: exchange.call))
    }
}
