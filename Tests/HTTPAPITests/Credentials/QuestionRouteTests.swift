import Canonical
@testable import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct QuestionRouteTests {
    @Test(
        arguments: [
            ("/v1/questions", nil, "en"), ("/v1/questions?locale=de-AT", "fr", "de"), ("/v1/questions", "fr-CA", "fr"),
            ("/v1/questions", "it, de;q=0.2, fr;q=0.3", "fr"), ("/v1/questions?locale=xx", "fr", "en"),
        ] as [(String, String?, String)])
    func `the question list is served in the requested language`(
        path: String, language: String?, locale: String
    ) async throws {
        let answer = try await API.with {
            try await $0.send("GET", path, language.map { [("Accept-Language", $0)] } ?? [], authorization: nil)
        }
        #expect(answer.status == 200)
        let list = try QuestionListResponse(json: answer.json)
        #expect(list.locale == locale && answer.header("Content-Language") == locale)
        #expect(list.version == 1 && list.items.map(\.number) == Array(1...48))
        #expect(answer.header("Cache-Control")?.hasPrefix("public") == true)
        #expect(answer.header("Vary") == "Accept-Language")
    }

    @Test func `a step shows listed questions in the request's language and own texts unchanged`() async throws {
        var service = FakeService()
        let first = QuestionResponse(
            questionId: "AAAA", question: "What was the name of your first pet?", number: 1, version: 1)
        service.outcome = .validateAnswers(
            challenge: [1], questions: [first, QuestionResponse(questionId: "BBBB", question: "Why?")])
        for (language, text) in [
            (nil, "What was the name of your first pet?"), ("de", "Wie hieß Ihr erstes Haustier?"),
        ]
            as [(String?, String)]
        {
            let answer = try await API.with(service) {
                try await $0.send(
                    "POST", "/v1/logins/f/key", language.map { [("Accept-Language", $0)] } ?? [],
                    body: #"{"keyProof":"AQID"}"#)
            }
            let listed: JSONValue = ["questionId": "AAAA", "question": .string(text), "number": 1, "version": 1]
            #expect(
                try answer.json["questions"] == .array([listed, ["questionId": "BBBB", "question": "Why?"]]))
        }
    }
}
