import Canonical
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct StrictBodyTests {
    /// A refusal that the table expects.
    struct Case: Sendable, CustomTestStringConvertible {
        var body: String
        var code: String
        var pointer: String
        var testDescription: String { String(body.prefix(80)) }

        init(_ body: String, _ code: String, _ pointer: String) {
            self.body = body
            self.code = code
            self.pointer = pointer
        }
    }

    private func refuse(_ path: String, _ test: Case) async throws {
        let service = FakeService()
        let answer = try await API.with(service) { try await $0.send("POST", path, body: test.body) }
        let problem = try answer.problem
        #expect(problem.code == test.code)
        #expect(problem.errors.first?.place == .pointer(test.pointer))
        #expect(problem.errors.first?.detail.isEmpty == false)
        #expect(await service.recorder.work.isEmpty)
    }

    @Test(arguments: [
        Case(
            #"{"companyEmployeeId":"7","email":"e","employeePublicKey":"BAE="}"#, "company.name_missing", "/companyName"
        ),
        Case(
            #"{"companyName":"A","email":"e","employeePublicKey":"BAE="}"#, "employee.id_missing", "/companyEmployeeId"),
        Case(#"{"companyName":"A","companyEmployeeId":"7","employeePublicKey":"BAE="}"#, "email.missing", "/email"),
        Case(#"{"companyName":"A","companyEmployeeId":"7","email":"e"}"#, "employee.key_invalid", "/employeePublicKey"),
        Case(
            #"{"companyName":"A","companyEmployeeId":"7","email":"e","employeePublicKey":"BAE"}"#,
            "employee.key_invalid", "/employeePublicKey"),
        Case(
            #"{"companyName":"A","companyEmployeeId":"7","email":"e","employeePublicKey":"-_8="}"#,
            "employee.key_invalid", "/employeePublicKey"),
        Case(
            #"{"companyName":"A","companyEmployeeId":"7","email":"e","employeePublicKey":7}"#, "request.invalid",
            "/employeePublicKey"),
        Case(
            #"{"companyName":"A","companyEmployeeId":"7","email":null,"employeePublicKey":"BAE="}"#, "request.invalid",
            "/email"),
        Case(
            #"{"companyName":["A"],"companyEmployeeId":"7","email":"e","employeePublicKey":"BAE="}"#, "request.invalid",
            "/companyName"),
        Case(
            #"{"companyName":"A","companyEmployeeId":"7","email":"e","employeePublicKey":"BAE=","isCompanyOwnedEmail":"true"}"#,
            "request.invalid", "/isCompanyOwnedEmail"),
        Case(
            #"{"companyName":"A","companyEmployeeId":"7","email":"e","employeePublicKey":"BAE=","role":"admin"}"#,
            "request.invalid", "/role"),
        Case(
            #"{"companyName":"A","companyName":"B","companyEmployeeId":"7","email":"e","employeePublicKey":"BAE="}"#,
            "request.invalid", "/companyName"),
    ]) func `a registration is read strictly`(test: Case) async throws { try await refuse("/v1/registrations", test) }

    @Test(arguments: [
        Case("[]", "request.invalid", ""), Case("null", "request.invalid", ""), Case("7", "request.invalid", ""),
        Case(#"{"passphrase":"a\u0000b"}"#, "request.invalid", "/passphrase"),
        Case(#"{"passphrase":"\ud800"}"#, "request.invalid", "/passphrase"),
        Case(#"{"passphrase":"a"}{}"#, "request.invalid", ""), Case(#"{"passphrase":"a",}"#, "request.invalid", ""),
        Case(#"{"passphrase":1.5}"#, "request.invalid", "/passphrase"),
        Case(#"{"passphrase":9007199254740993}"#, "request.invalid", "/passphrase"),
        Case("{}", "passphrase.missing", "/passphrase"),
        Case(#"{'passphrase':'a'}"#, "request.invalid", ""), Case("\u{FEFF}{}", "request.invalid", ""),
        Case("{", "request.invalid", ""), Case("nonsense", "request.invalid", ""),
    ]) func `JSON that is not strict is refused with its place`(test: Case) async throws {
        try await refuse("/v1/logins/f/passphrase", test)
    }

    @Test(arguments: [
        Case("{}", "answers.at_least_three_required", "/answers"),
        Case(#"{"answers":{}}"#, "request.invalid", "/answers"),
        Case(#"{"answers":["x"]}"#, "request.invalid", "/answers/0"),
        Case(
            #"{"answers":[{"questionId":"a","answer":"b"},{"questionId":"a"}]}"#, "request.invalid", "/answers/1/answer"
        ),
        Case(#"{"answers":[{"questionId":"a","answer":"b","x":1}]}"#, "request.invalid", "/answers/0/x"),
    ]) func `answers are read strictly`(test: Case) async throws { try await refuse("/v1/logins/f/answers", test) }

    @Test(arguments: [
        Case("{}", "request.invalid", "/elements"),
        Case(#"{"elements":[{"slot":"0","element":"AA=="}]}"#, "request.invalid", "/elements/0/slot"),
        Case(#"{"elements":[{"slot":0,"element":"AA"}]}"#, "request.invalid", "/elements/0/element"),
        Case(#"{"elements":[{"slot":0,"element":"AA==","answer":"x"}]}"#, "request.invalid", "/elements/0/answer"),
    ]) func `blinded elements are read strictly`(test: Case) async throws {
        try await refuse("/v1/logins/f/evaluations", test)
    }

    @Test(arguments: [
        Case("{}", "request.invalid", "/userSignature"),
        Case(#"{"userSignature":"AA==","record":"AA=="}"#, "request.invalid", "/questions"),
        Case(#"{"userSignature":"AA==","questions":[]}"#, "request.invalid", "/record"),
        Case(
            #"{"userSignature":"AA==","record":"AA==","questions":[{"question":"q"}]}"#, "request.invalid",
            "/questions/0/salt"),
        Case(
            #"{"userSignature":"AA==","record":"AA==","questions":[{"question":"q","salt":"AA==","answer":"x"}]}"#,
            "request.invalid", "/questions/0/answer"),
    ]) func `proofs are read strictly`(test: Case) async throws { try await refuse("/v1/registrations/f/proof", test) }

    @Test(arguments: [
        Case("{}", "credentials.five_questions_required", "/securityQuestions"),
        Case(#"{"securityQuestions":[{"question":"q"}]}"#, "credentials.incomplete", "/securityQuestions/0/answer"),
        Case(#"{"securityQuestions":[{"question":"q","answer":5}]}"#, "request.invalid", "/securityQuestions/0/answer"),
    ]) func `credentials are read strictly`(test: Case) async throws {
        try await refuse("/v1/registrations/f/credentials", test)
    }

    @Test func `a document nested deeper than 32 is refused`() async throws {
        let deep = String(repeating: "[", count: 33) + String(repeating: "]", count: 33)
        let answer = try await API.with {
            try await $0.send("POST", "/v1/logins/f/passphrase", body: #"{"passphrase":\#(deep)}"#)
        }
        #expect(try answer.problem.code == "request.invalid")
    }

    @Test func `a missing or unexpected body is refused`() async throws {
        try await API.with { api in
            let missing = try await api.send("POST", "/v1/logins")
            #expect(try missing.problem.code == "request.invalid")
            let unexpected = try await api.send("GET", "/v1/companies/A", body: "{}")
            #expect(try unexpected.problem.code == "request.invalid")
        }
    }
}
