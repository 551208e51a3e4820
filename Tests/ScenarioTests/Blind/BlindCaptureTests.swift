import Canonical
import Credentials
import Foundation
import TenureAPI
import TenureClient
import Testing

/// Everything that goes over the wire, kept.
private actor Wire: Transport {
    private let transport = URLSessionTransport()
    private(set) var sent: [WireRequest] = []
    private(set) var received: [WireResponse] = []

    func send(_ request: WireRequest) async throws -> WireResponse {
        sent.append(request)
        let response = try await transport.send(request)
        received.append(response)
        return response
    }

    /// All bytes in both directions, and beside them what every text in a document is the base64 of.
    var bytes: Data {
        var bytes = Data()
        for request in sent {
            bytes.append(Data("\(request.method) \(request.url) \(request.headers)\n".utf8))
            bytes.append(Data((request.body ?? []) + [10]))
            bytes.append(Self.decoded(request.body ?? []))
        }
        for response in received { bytes.append(Data(response.body + [10]) + Self.decoded(response.body)) }
        return bytes
    }

    private static func decoded(_ body: [UInt8]) -> Data {
        var found = Data()
        for match in String(decoding: body, as: UTF8.self).matches(of: /"([A-Za-z0-9+\/_=-]{8,})"/) {
            let text = String(match.1)
            found.append(Data((Base64.decode(text) ?? Base64URL.decode(text) ?? []) + [10]))
        }
        return found
    }
}

@Suite(.onServer)
struct `A scripted run in blind mode` {
    private func client(_ world: TenureWorld, _ wire: Wire) -> TenureClient {
        TenureClient(
            baseURL: world.baseURL.absoluteString,
            appCredentials: AppCredentials(appId: world.app.appId, secret: world.app.secret), transport: wire)
    }

    private func register(
        _ person: Person, _ client: TenureClient, _ key: EmployeeKey, _ pins: MemoryPinStore
    ) async throws -> FlowOutcomeResponse {
        let flow = try await client.startRegistration(
            company: person.company, employee: person.id, email: person.email, key: key)
        let asked = try await client.proveKey(flow, key: key)
        guard case .setCredentials = asked else { return try await answer(person, flow, asked, client, pins) }
        return try await client.setBlindCredentials(
            flow, asked, questions: person.questions.map { .init(question: $0.question, answer: $0.answer) },
            passphrase: person.passphrase, questionsWithPassphrase: person.questionsWithPassphrase ?? false, key: key,
            pins: pins)
    }

    private func answer(
        _ person: Person, _ flow: TenureClient.Flow, _ asked: FlowOutcomeResponse, _ client: TenureClient,
        _ pins: MemoryPinStore, wrong: Bool = false
    ) async throws -> FlowOutcomeResponse {
        if case .validateAnswers(_, let shown, _) = asked {
            let answers = shown.enumerated().map { place, question in
                let known = person.questions.first { $0.question == question.question }?.answer ?? ""
                return AnswersRequest.Answer(
                    questionId: question.questionId, answer: wrong && place < 3 ? "x" + known : known)
            }
            return try await client.proveAnswers(flow, asked, answers: answers, pins: pins)
        }
        return try await client.provePassphrase(
            flow, asked, passphrase: (wrong ? "x" : "") + (person.passphrase ?? ""), pins: pins)
    }

    @Test func `leaves no answer and no passphrase on the wire, in a log or in a table`() async throws {
        try await inTurn { world in
            let wire = Wire()
            let client = client(world, wire)
            var first = Person.withQuestions("one", at: "capture-one.example")
            first.questions[0].answer = "Ünïcode \(Person.word()) \"/quoted\""
            let second = Person("two", at: "capture-two.example")
            var outcomes: [FlowOutcomeResponse] = []
            for person in [first, second] {
                let key = try EmployeeKey.generate()
                let pins = MemoryPinStore()
                outcomes.append(try await register(person, client, key, pins))
                let flow = try await client.startLogin(company: person.company, employee: person.id, key: key)
                let asked = try await client.proveKey(flow, key: key)
                let refused = await #expect(throws: TenureClientError.self) {
                    try await answer(person, flow, asked, client, pins, wrong: true)
                }
                #expect(refused?.code == .signingRefused)
                outcomes.append(try await answer(person, flow, asked, client, pins))
            }
            let elsewhere = first.also("three", at: "capture-two.example")
            outcomes.append(try await register(elsewhere, client, try EmployeeKey.generate(), MemoryPinStore()))
            let successes = outcomes.count { if case .success = $0 { true } else { false } }
            #expect(outcomes.count == 5 && successes == 4)

            let (dump, _) = try await world.dump()
            let places = [
                ("the wire", await wire.bytes), ("the database", dump),
                ("the logs", Data(world.logs.joined(separator: "\n").utf8)),
            ]
            for (place, bytes) in places {
                #expect(bytes.count > 1_000, "\(place)")
                for person in [first, second] {
                    for item in person.questions {
                        #expect(!Forms("answer", item.answer).isFound(in: bytes), "an answer in \(place)")
                    }
                    if let passphrase = person.passphrase {
                        #expect(!Forms("passphrase", passphrase).isFound(in: bytes), "a passphrase in \(place)")
                    }
                }
            }
            // The search finds what is there.
            #expect(Forms("question", first.questions[1].question).isFound(in: places[0].1))
            #expect(Forms("company", first.company).isFound(in: dump))
        }
    }
}
