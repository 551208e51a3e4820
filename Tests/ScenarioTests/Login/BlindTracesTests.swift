import Canonical
import Credentials
import Foundation
import Postgres
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

    @Test func `leaves no answer or passphrase on the wire, in a log or in a table`() async throws {
        var options = WorldOptions()
        options.customQuestions = true
        try await inTurn(options) { world in
            let wire = Wire()
            let client = client(world, wire)
            var first = Person.withQuestions("one", at: "capture-one.example").withOwnQuestions()
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

/// What a whole run in blind mode leaves in the service's process, in its log and on the database's disk.
@Suite(.onServer)
struct `The traces of a run in blind mode` {
    /// Set-up, a right and a wrong attempt, and a registration in a second company with the same secrets.
    private func run(_ person: Person, _ client: Client) async throws {
        let device = Device()
        expectOutcome(try await client.registerBlind(person, device), "success")
        expectOutcome(try await client.logInBlind(person, device), "success")
        var wrong = person
        wrong.passphrase = person.passphrase.map { "x" + $0 }
        for place in wrong.questions.indices.prefix(3) { wrong.questions[place].answer += "x" }
        let flow = try await BlindFlow.start(.logins, person, device, client)
        #expect(try await flow.complete(wrong) == nil, "no copy opens")
        let elsewhere = person.also("g", at: "second-\(person.company)")
        expectOutcome(try await client.registerBlind(elsewhere, device), "success")
    }

    /// The write-ahead log between two places, as whole segments.
    private func writeAheadLog(_ world: TenureWorld, from start: String) async throws -> Data {
        try await world.superuser { connection in
            let names = try await connection.query(
                """
                SELECT name FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'
                    AND name BETWEEN pg_walfile_name(\(start)::pg_lsn) AND pg_walfile_name(pg_current_wal_lsn())
                ORDER BY name
                """)
            var log = Data()
            for name in try names.map({ try $0.decode(String.self) }) {
                let rows = try await connection.query("SELECT pg_read_binary_file(\("pg_wal/" + name))")
                log.append(contentsOf: try rows.first?.decode([UInt8].self) ?? [])
            }
            return log
        }
    }

    @Test(.onOneServer, arguments: [true, false])
    func `contain nothing that reveals or confirms a secret: memory, logs, tables, WAL`(
        withQuestions: Bool
    ) async throws {
        try await inTurn { world in
            let company = "traces-\(withQuestions).example"
            let person = withQuestions ? Person.withQuestions("f", at: company) : Person("f", at: company)
            let start = try await world.superuser { connection in
                try #require(try await connection.query("SELECT pg_current_wal_lsn()::text").first).decode(String.self)
            }
            try await ServiceProcess.with(1, in: world, logLevel: "trace") { processes in
                let process = try #require(processes.first)
                try await run(person, process.client)
                let confirmers = try Confirmers(person, try await StoredSecrets.last(in: world))
                let (dump, _) = try await world.dump()
                let disk = try await writeAheadLog(world, from: start)
                #expect(confirmers.found(in: dump) == [])
                #expect(confirmers.found(in: disk) == [])
                // The searches find what is there: a name that is clear by decision.
                for place in [dump, disk] { #expect(Forms("company", company).isFound(in: place)) }
                let memory = try #require(process.memory(), "the memory of the service cannot be read")
                #expect(memory.count > 1_000_000)
                #expect(confirmers.found(in: memory) == [])
                #expect(Forms("app id", world.app.appId).isFound(in: memory))
                let log = Data(await process.ended().utf8)
                #expect(log.count > 1_000)
                #expect(confirmers.found(in: log) == [])
            }
        }
    }
}
