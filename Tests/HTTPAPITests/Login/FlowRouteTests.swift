import Canonical
@testable import IdentityService
import ErrorCodes
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct FlowRouteTests {
    private func ask(
        _ path: String, _ body: String, _ service: FakeService = FakeService(), status: Int = 200
    ) async throws -> (json: JSONValue, entry: Recorder.Entry, answer: API.Answer) {
        let answer = try await API.with(service) { try await $0.send("POST", path, body: body) }
        #expect(answer.status == status)
        return (try answer.json, try #require(await service.recorder.last), answer)
    }

    @Test func `a registration passes every member to the service`() async throws {
        let body = """
            {"companyName":"A/ß","companyEmployeeId":"7","email":"a@b.example","isCompanyOwnedEmail":true,
            "employeePublicKey":"BAE=","intent":"join"}
            """
        let (json, entry, _) = try await ask("/v1/registrations", body, status: 201)
        #expect(json["flow"] == "Zmxvdw")
        #expect(json["challenge"] == .string(Base64.encode(Array("challenge".utf8))))
        #expect(json["expiresAt"] == .timestamp(FakeService.time))
        #expect(
            entry.details == [
                "companyName": "A/ß", "companyEmployeeId": "7", "email": "a@b.example", "owned": "true", "key": "0401",
                "intent": "join",
            ])
    }

    @Test func `isCompanyOwnedEmail is false by default, and there is no intent`() async throws {
        let (_, entry, _) = try await ask("/v1/registrations", Samples.registration, status: 201)
        #expect(entry.details["owned"] == "false" && entry.details["intent"] == "none")
    }

    @Test(arguments: [("registrations", "registration"), ("logins", "login")])
    func `each step passes its flow and purpose to the service`(path: String, purpose: String) async throws {
        let proof = try await ask("/v1/\(path)/Zmxv/key", #"{"keyProof":"AQID"}"#).entry
        #expect(proof.details == ["purpose": purpose, "flow": "Zmxv", "proof": "010203"])
        let answers = try await ask("/v1/\(path)/Zmxv/answers", Samples.answers).entry
        #expect(answers.details == ["purpose": purpose, "flow": "Zmxv", "answers": "AAAA=x"])
        let passphrase = try await ask("/v1/\(path)/Zmxv/passphrase", #"{"passphrase":"é"}"#).entry
        #expect(passphrase.details == ["purpose": purpose, "flow": "Zmxv", "passphrase": "é"])
        let elements = #"{"elements":[{"slot":9,"element":"AgE="},{"slot":255,"element":"Aw=="}]}"#
        let (json, evaluated, _) = try await ask("/v1/\(path)/Zmxv/evaluations", elements)
        #expect(evaluated.details == ["purpose": purpose, "flow": "Zmxv", "elements": "9=0201|255=03"])
        let first: JSONValue = ["slot": 9, "evaluation": "AQI=", "sealedCopy": "Aw=="]
        let second: JSONValue = ["slot": 255, "evaluation": "AQI=", "sealedCopy": "Aw=="]
        #expect(json["evaluations"] == .array([first, second]))
        let proved = try await ask("/v1/\(path)/Zmxv/proof", #"{"userSignature":"AQ=="}"#).entry
        #expect(
            proved.details == [
                "purpose": purpose, "flow": "Zmxv", "signature": "01", "record": "none", "questions": "",
            ])
        let record = #"{"userSignature":"AQ==","record":"AAE=","questions":[{"question":"ü","salt":"Bw=="}]}"#
        let set = try await ask("/v1/\(path)/Zmxv/proof", record).entry
        #expect(set.details["record"] == "0001" && set.details["questions"] == "ü=07")
    }

    @Test func `credentials keep the order in which the user entered them`() async throws {
        let body = """
            {"securityQuestions":[{"question":"b","answer":"1"},{"question":"a","answer":"2"}],
            "passphrase":"p","questionsWithPassphrase":true}
            """
        let entry = try await ask("/v1/registrations/f/credentials", body).entry
        #expect(entry.details == ["flow": "f", "questions": "b=1|a=2", "passphrase": "p", "both": "true", "name": ""])
    }

    @Test func `questions are passed by text or by number`() async throws {
        let body = """
            {"securityQuestions":[{"number":7,"answer":"1"},{"number":8,"version":1,"answer":"2"},
            {"question":"c","answer":"3"}]}
            """
        let entry = try await ask("/v1/registrations/f/credentials", body).entry
        #expect(entry.details["questions"] == "#7=1|#8v1=2|c=3")
        let record = #"{"userSignature":"AQ==","record":"AAE=","questions":[{"number":3,"version":1,"salt":"Bw=="}]}"#
        let set = try await ask("/v1/registrations/f/proof", record).entry
        #expect(set.details["questions"] == "#3v1=07")
    }

    @Test func `success carries session, employee and position`() async throws {
        var service = FakeService()
        service.outcome = .success(FakeService.tokens, FakeService.summary, position: 12)
        let (json, _, answer) = try await ask("/v1/logins/f/answers", Samples.answers, service)
        #expect(json["outcome"] == "success")
        #expect(json["position"] == 12)
        #expect(json["session"]?["accessToken"] == "YQ")
        #expect(json["employee"]?["role"] == "securityAdmin")
        #expect(answer.header("Tenure-Position") == "12")
    }

    @Test func `a pending key carries its fingerprint, and a position only if one was appended`() async throws {
        var service = FakeService()
        service.outcome = .authorizationPending(employeePublicKey: [4, 1], fingerprint: "ab", position: nil)
        let (json, _, answer) = try await ask("/v1/logins/f/answers", Samples.answers, service)
        #expect(
            json == [
                "outcome": "authorizationPending", "employeePublicKey": "BAE=", "fingerprint": "ab", "words": "peach",
            ])
        #expect(answer.header("Tenure-Position") == nil)
    }

    @Test func `each step returns the next requested entry`() async throws {
        var service = FakeService()
        service.outcome = .setCredentials(
            challenge: [1],
            rules: CredentialRulesResponse(
                questions: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: true, blindOnly: false))
        var json = try await ask("/v1/registrations/f/key", #"{"keyProof":"AQID"}"#, service).json
        #expect(json["rules"]?["passphraseMinimumLength"] == 8)
        service.outcome = .validatePassphrase(challenge: [1], questions: nil)
        json = try await ask("/v1/logins/f/key", #"{"keyProof":"AQID"}"#, service).json
        #expect(json == ["outcome": "validatePassphrase", "challenge": "AQ=="])
    }

    @Test func `a wrong answer carries a fresh challenge`() async throws {
        var service = FakeService()
        service.failure = ServiceError(.answersIncorrect, challenge: [1, 2, 3, 4])
        let answer = try await API.with(service) {
            try await $0.send("POST", "/v1/logins/f/answers", body: Samples.answers)
        }
        #expect(try answer.problem.challenge == [1, 2, 3, 4])
        #expect(try answer.json["challenge"] == "AQIDBA==")
    }
}
