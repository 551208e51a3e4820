import Canonical
import ErrorCodes
import Foundation
import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct OpenAPITests {
    /// Method and pattern of every operation in the document.
    ///
    /// The document is generated in one form: a path at two spaces, a method at four.
    private static func operations(_ text: String) -> Set<String> {
        var found: Set<String> = []
        var path: Substring?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if !line.hasPrefix(" "), !line.isEmpty { path = nil }
            if line.hasPrefix("  /"), line.hasSuffix(":") { path = line.dropFirst(2).dropLast() }
            if let path, let match = line.wholeMatch(of: /\ {4}(get|put|post|patch|delete|head|options):/) {
                found.insert("\(match.1.uppercased()) \(path)")
            }
        }
        return found
    }

    private func served() async throws -> String {
        let answer = try await API.with { try await $0.send("GET", "/openapi.yaml", authorization: nil) }
        #expect(answer.header("Content-Type") == "application/yaml")
        return String(decoding: answer.bytes, as: UTF8.self)
    }

    @Test func `the OpenAPI document and the routes have the same operations`() async throws {
        let documented = Self.operations(try await served())
        let routes = Set(
            Route.all(HTTPConfiguration(), waiting: .none).map(\.endpoint).filter {
                $0 != .readPageAsset && $0 != .armPage && $0 != .chooseLanguage
            }.map(
                \.description))
        #expect(documented.subtracting(routes).sorted() == [], "documented and not served")
        #expect(routes.subtracting(documented).sorted() == [], "served and not documented")
    }

    @Test func `the OpenAPI document lists every error code`() async throws {
        let text = try await served()
        let list = try #require(text.firstRange(of: "    Code:"))
        let rest = text[list.upperBound...]
        let end = rest.firstMatch(of: /\n\ {4}[A-Z]/).map { rest.index(after: $0.range.lowerBound) } ?? rest.endIndex
        let codes = rest[..<end].matches(of: /\ {8}- ([a-z_.]+)\n/).map { String($0.1) }
        #expect(Set(codes) == Set(ErrorCode.all.map(\.rawValue)))
        #expect(codes.count == ErrorCode.all.count)
    }

    @Test func `the OpenAPI document shows every error code as the service writes it`() async throws {
        let text = try await served()
        for code in ErrorCode.all {
            let example = try #require(text.firstRange(of: "\n    \(code):\n      summary: "), "\(code)")
            let shown = text[example.upperBound...].prefix(900)
            for member in ["title: \"\(code.title)\"", "status: \(code.status)", "detail: \"\(code.advice)\""] {
                #expect(shown.contains(member), "\(code) without \(member)")
            }
        }
    }

    @Test func `the OpenAPI document states each operation's callers`() async throws {
        let text = try await served()
        for endpoint in Endpoint.all
        where endpoint.template.text.hasPrefix("/v1/") || endpoint.template.text.hasPrefix("/mpin/") {
            let section = try #require(text.firstRange(of: "  \(endpoint.template.text):\n"))
            let method = try #require(
                text[section.upperBound...].firstRange(of: "    \(endpoint.method.lowercased()):\n"))
            let line = try #require(text[method.upperBound...].firstMatch(of: /\ {6}security: (.+)\n/)).1
            switch endpoint.access {
            case .anyone: #expect(line == "[{}]")
            case .app: #expect(line == "[{app: []}]")
            case .employee: #expect(line == "[{employee: []}]")
            case .appOrEmployee: #expect(line == "[{app: []}, {employee: []}]")
            }
        }
    }

    private static let checker = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("check_openapi.py").path

    private static let canCheck = Command.exists(["python3", checker, "--available"])

    /// What is sent and answered, one line per operation and outcome.
    private func samples() async throws -> [String] {
        var lines: [String] = []
        for (outcome, decision) in FakeService.everyAnswer {
            var service = FakeService()
            service.outcome = outcome
            service.decision = decision
            service.next = 9
            for endpoint in Endpoint.all
            where endpoint.template.text.hasPrefix("/v1/") || endpoint.template.text.hasPrefix("/mpin/") {
                lines.append(try await sample(endpoint, service))
            }
            service.failure = ServiceError(.answersIncorrect)
            lines.append(try await sample(.validateLoginAnswers, service))
        }
        return lines
    }

    private func sample(_ endpoint: Endpoint, _ service: FakeService) async throws -> String {
        let request = Samples.body(endpoint)
        let answer = try await API.with(service) {
            try await $0.send(
                endpoint.method, Samples.path(endpoint), authorization: Samples.authorization(endpoint), body: request)
        }
        let line = JSONValue.objectOmittingNil([
            "operation": .string(endpoint.description), "status": .integer(Int64(answer.status)),
            "response": answer.header("Content-Type")?.hasSuffix("json") == true ? try answer.json : nil,
            "request": try request.map { try StrictJSON.parse($0.utf8) },
        ])
        return String(decoding: line.canonicalBytes(), as: UTF8.self)
    }

    /// The samples as a newer service could answer them, with a code, a role and a status that the contract lacks.
    private static func newer(_ samples: [String]) throws -> [String] {
        let invented = samples.map {
            $0.replacing(/"code":"[a-z_.]+"/, with: #""code":"employee.on_holiday""#)
                .replacing(/"role":"(?:employee|admin)"/, with: #""role":"auditor""#)
                .replacing(#""status":"active""#, with: #""status":"on_holiday""#)
        }
        for word in ["employee.on_holiday", "auditor", "\"on_holiday\""] {
            try #require(invented.contains { $0.contains(word) }, "no sample has \(word)")
        }
        return invented
    }

    @Test(.enabled(if: canCheck, "python3 with PyYAML and openapi-spec-validator is not installed"))
    func `the document is valid OpenAPI and describes every request and response`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("openapi-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try await served().utf8).write(to: file)
        let check = ["python3", Self.checker, file.path]
        let operations = Endpoint.all.map(\.description)
        let samples = try await samples()
        let good = try await Command.run(check + operations, input: samples.joined(separator: "\n"))
        #expect(good.status == 0, "\(good.output)")
        let newer = try Self.newer(samples)
        let open = try await Command.run(check + operations, input: newer.joined(separator: "\n"))
        #expect(open.status == 0, "values of a newer service are refused: \(open.output)")
        let missing = try await Command.run(check + operations.dropFirst())
        #expect(missing.status == 1, "the checker misses an operation")
        let line = #"{"operation":"POST /v1/logins","status":201,"response":{"flow":7}}"#
        let wrong = try await Command.run(check + operations, input: line)
        #expect(wrong.status == 1, "the checker misses a wrong body")
    }
}
