import Canonical
import Foundation
import Testing

@Suite(.onServer, .enabled(if: SecondClient.isAvailable, Comment(rawValue: SecondClient.hint)))
struct `A second client, written from the documentation,` {
    private func with(_ body: (SecondClient) async throws -> Void) async throws {
        try await inTurn { world in
            let files = try TemporaryFiles()
            defer { files.remove() }
            try await body(SecondClient(world: world, files: files))
        }
    }

    @Test func `matches the vectors of RFC 9497 and refuses a hostile service's data`() async throws {
        let (status, output) = try await SecondClient.program("rfc9497.py")
        #expect(status == 0, "\(output)")
        #expect(output.split(separator: "\n").count { $0.hasPrefix("ok") } == 28)
        let vectors = try await SecondClient.program("make_vectors.py", arguments: ["check"])
        #expect(vectors.status == 0, "blind.hex is not what the documentation gives")
    }

    @Test func `registers and logs in with all three kinds of credentials`() async throws {
        try await with { second in
            let client = try second.world.client
            var both = Person("both", at: "second-both.example")
            both.questionsWithPassphrase = true
            for person in [
                Person("phrase", at: "second-phrase.example"), both,
                Person.withQuestions("questions", at: "second-questions.example"),
            ] {
                let registered = try await second.run("register", person, device: person.id)
                #expect(registered.status == 0 && registered.reply["outcome"]?.text == "success", "\(registered)")
                #expect(registered.reply["employee"]?["role"]?.text == "securityAdmin")
                let login = try await second.run("login", person, device: person.id)
                #expect(login.reply["outcome"]?.text == "success", "\(login)")
                // The credential it made is as good as any for the first client, in both modes.
                expectOutcome(try await client.logInBlind(person, Device()), "authorizationPending")
                expectOutcome(try await client.logIn(person, Device()), "authorizationPending")
            }
        }
    }

    @Test func `opens the first client's credentials with three of five answers, not with two`()
        async throws
    {
        try await with { second in
            let client = try second.world.client
            let person = Person.withQuestions("mixed", at: "second-mixed.example")
            _ = try await client.foundBlind(person.company, by: person)
            var three = person
            for place in [0, 2] { three.questions[place].answer = "wrong" }
            three.questions[1].answer = "  \(three.questions[1].answer.uppercased()) "
            let passed = try await second.run("login", three, device: "tablet")
            #expect(passed.reply["outcome"]?.text == "authorizationPending", "\(passed)")
            var two = three
            two.questions[1].answer = "wrong"
            let refused = try await second.run("login", two, device: "tablet")
            #expect(refused.status == 2, "\(refused)")
            let unknown = try await second.run("login", person.also("nobody", at: person.company), device: "other")
            #expect(unknown.status == 2, "\(unknown)")
        }
    }

    @Test func `sends no answer and no passphrase`() async throws {
        try await with { second in
            var person = Person("capture", at: "second-capture.example")
            person.questionsWithPassphrase = true
            for action in ["register", "login"] {
                let run = try await second.run(action, person, device: "d")
                #expect(run.status == 0, "\(run)")
            }
            let sent = second.capture
            #expect(sent.count > 3_000 && Forms("company", person.company).isFound(in: sent))
            for secret in person.questions.map({ Forms("answer", $0.answer) })
                + [Forms("passphrase", person.passphrase ?? "")]
            {
                #expect(!secret.isFound(in: sent), "\(secret.name)")
            }
        }
    }
}

/// The client in `Tests/BlindClient`, in another language and from the documentation alone.
struct SecondClient: Sendable {
    /// The interpreter; `python3` unless the environment names another.
    private static let python = ProcessInfo.processInfo.environment["TENURE_TEST_PYTHON"] ?? "python3"
    /// Whether it has what the client needs.
    static let isAvailable = (try? run(["-c", "import cryptography"], input: "", environment: [:]))?.status == 0
    static let hint = "NOT TESTED: the second client of blind mode needs a Python with the module cryptography"

    let world: TenureWorld
    let files: TemporaryFiles

    /// Runs one of its programs; blocks a thread of its own.
    static func program(
        _ name: String, arguments: [String] = [], input: String = "", environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String) {
        let here = URL(fileURLWithPath: #filePath)
        let path = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("BlindClient/\(name)").path
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try run([path] + arguments, input: input, environment: environment) })
            }
        }
    }

    /// Registers or logs in; the status is 0 for an outcome, 1 for the service's refusal and 2 for the client's own.
    func run(_ action: String, _ person: Person, device: String) async throws -> (status: Int32, reply: JSONValue) {
        var request: [String: JSONValue] = [
            "action": .string(action), "company": .string(person.company), "employee": .string(person.id),
            "email": .string(person.email), "state": .string(files.path(device)),
            "capture": .string(files.path("capture")),
            "questions": .array(
                person.questions.map { ["question": .string($0.question), "answer": .string($0.answer)] }),
        ]
        if let passphrase = person.passphrase { request["passphrase"] = .string(passphrase) }
        if let both = person.questionsWithPassphrase { request["questionsWithPassphrase"] = .bool(both) }
        let (status, output) = try await Self.program(
            "blind_client.py", input: String(decoding: JSONValue.object(request).canonicalBytes(), as: UTF8.self),
            environment: [
                "TENURE_URL": world.baseURL.absoluteString, "TENURE_APP_ID": world.app.appId,
                "TENURE_APP_SECRET": world.app.secret,
            ])
        return (status, try StrictJSON.parse(Array(output.utf8)))
    }

    /// Everything that it has sent so far.
    var capture: Data { FileManager.default.contents(atPath: files.path("capture")) ?? Data() }

    private static func run(
        _ arguments: [String], input: String, environment: [String: String]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        let (output, stdin) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python, "-B"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.standardError
        process.standardInput = stdin
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
