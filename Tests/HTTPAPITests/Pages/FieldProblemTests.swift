import ErrorCodes
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

/// The codes that a form may be refused with, held against what its page says.
@Suite struct FieldProblemTests {
    /// The codes that no input causes: their page is a notice.
    private static let notices: Set<ErrorCode> = [
        .serviceUnavailable, .serviceClock, .serviceBusy, .requestRateLimited, .mailUnavailable, .appUnknown,
        .appSecretInvalid, .appRoleMissing, .sessionExpired, .sessionInvalid, .idempotencyInProgress,
        .idempotencyConflict, .requestTooLarge, .requestMediaType,
    ]
    private static let names: [FieldProblem.Field] = [.company, .employee, .form]
    /// Each form that begins a flow, with the codes that it never gets. Pages claim no address for a tenant.
    private static let beginnings: [(endpoint: Endpoint, fields: [FieldProblem.Field], never: Set<ErrorCode>)] = [
        (.startRegistration, names + [.email, .code], [.emailNotCompanyOwned]), (.startLogin, names, []),
        (.startRecovery, names + [.way], []), (.startReturn, names + [.way], []),
    ]
    /// Each step, with the fields of its form.
    private static let steps: [(endpoint: Endpoint, fields: [FieldProblem.Field], purpose: FlowKind)] = [
        (.proveRegistrationKey, [], .registration), (.setCredentials, CredentialsPage.fields, .registration),
        (.validateRegistrationAnswers, AnswersContent.fields, .registration),
        (.validateRegistrationPassphrase, PassphraseContent.fields, .registration), (.proveLoginKey, [], .login),
        (.validateLoginAnswers, AnswersContent.fields, .login),
        (.validateLoginPassphrase, PassphraseContent.fields, .login), (.proveRecoveryKey, [], .recovery),
        (.proveChangeKey, [], .change),
        (.changeCredentials, [.answers, .current] + CredentialsPage.fields, .change),
        (.recoverCredentials, CredentialsPage.fields, .recovery), (.proveReturnKey, [], .returning),
        (.validateReturnAnswers, AnswersContent.fields, .returning),
        (.validateReturnPassphrase, PassphraseContent.fields, .returning),
    ]
    /// The decisions on pages of an account. A page names the company and the id of the person who decides.
    private static let decisions: [Endpoint] = [
        .authorizeKey, .refuseKey, .revokeKey, .revokeDevice, .openRecovery, .confirmRecovery, .cancelRecovery,
        .approveEmployee, .cancelEmployee,
    ]

    private func codes(_ endpoint: Endpoint) throws -> Set<ErrorCode> {
        try #require(endpoint.terms).codes(captures: endpoint.template.captures).subtracting(Self.notices)
    }

    @Test func `a form that begins a flow tells every refusal at a field`() throws {
        for (endpoint, fields, never) in Self.beginnings {
            for code in try codes(endpoint).subtracting(never) {
                let problems = FieldProblem.all(ServiceError(code), of: fields)
                #expect(problems.count == 1 && problems.first?.status == code.status, "\(endpoint): \(code.rawValue)")
            }
        }
    }

    @Test func `the form of a step tells every refusal at a field, or ends its flow`() throws {
        for (endpoint, fields, purpose) in Self.steps {
            for code in try codes(endpoint) where code != .requestInvalid || !fields.isEmpty {
                let error = ServiceError(code)
                let isTold = !FieldProblem.all(error, of: fields).isEmpty || FlowDeadEnd(error, of: purpose) != nil
                #expect(isTold, "\(endpoint): \(code.rawValue)")
            }
        }
    }

    @Test(arguments: [
        ("/credentials/securityQuestions/2/answer", "answer3"), ("/credentials/passphrase", "passphrase"),
        ("/currentPassphrase", "current"), ("/credentials/questionsWithPassphrase", "both"),
    ]) func `a change tells a refusal at the old or the new secret`(pointer: String, field: String) {
        let error = ServiceError(.requestInvalid, members: [.init(pointer: pointer, detail: "d")])
        #expect(FieldProblem.all(error, of: [.current] + CredentialsPage.fields).map(\.field.name) == [field])
    }

    @Test func `a change that is over, or not permitted, says nothing about a log-in`() {
        #expect(FlowDeadEnd(ServiceError(.requestStale), of: .change) == .changeOver)
        #expect(FlowDeadEnd(.tooManyPendingKeys, of: .change) == .changeDenied)
        #expect(FlowDeadEnd(.keyEnded, of: .change) == .keyEnded)
        #expect(FlowDeadEnd(.tooManyPendingKeys, of: .login) == .denied)
        #expect(FlowDeadEnd(ServiceError(.appNotLinked), of: .address) == .noAccount)
    }

    @Test func `a decision of an account tells every refusal`() throws {
        for endpoint in Self.decisions {
            for code in try codes(endpoint).subtracting([.companyNameMissing, .companyUnknown, .employeeIdMissing]) {
                #expect(AccountProblem(ServiceError(code)) != nil, "\(endpoint): \(code.rawValue)")
            }
        }
    }

    @Test func `no code says two things about a field`() {
        for row in FieldProblem.table {
            #expect(FieldProblem.table.count { $0.code == row.code && $0.field == row.field } == 1, "\(row)")
        }
    }

    @Test(arguments: [
        ("/companyName", "company", "flow.inputInvalid"), ("/companyEmployeeId", "employee", "flow.inputInvalid"),
        ("/email", "email", "login.addressInvalid"), ("/invitation", "code", "flow.inputInvalid"),
        ("/isCompanyOwnedEmail", "company", "flow.inputInvalid"),
    ]) func `a text that cannot be read is told at the field that the refusal names`(
        pointer: String, field: String, word: String
    ) {
        let error = ServiceError(.requestInvalid, members: [.init(pointer: pointer, detail: "d")])
        let problems = FieldProblem.all(error, of: Self.names + [.email, .code])
        #expect(problems.map(\.field.name) == [field] && problems.first?.word == PageWord(stringLiteral: word))
        #expect(FieldProblem.all(ServiceError(.sessionInvalid, members: error.members), of: Self.names) == [])
    }
}
