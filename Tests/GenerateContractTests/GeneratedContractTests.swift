import Foundation
import Testing

@testable import GenerateContract
@testable import TenureAPI

@Suite struct `The generated contract` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func prose() throws -> String {
        try String(contentsOf: root.appendingPathComponent(GenerateContract.prosePath), encoding: .utf8)
    }

    @Test func `openapi.yaml and the page of docs are what scripts/generate writes`() throws {
        let written = try GenerateContract.text(prose: Self.prose())
        let committed = try String(contentsOf: Self.root.appendingPathComponent("openapi.yaml"), encoding: .utf8)
        let lines = zip(written.split(separator: "\n"), committed.split(separator: "\n"))
        let other = lines.first { $0 != $1 }.map { "“\($1)” instead of “\($0)”" } ?? "an end of its own"
        #expect(written == committed, "openapi.yaml has \(other): run scripts/generate and commit what it writes")
        let page = try String(contentsOf: Self.root.appendingPathComponent(GenerateContract.pagePath), encoding: .utf8)
        #expect(try GenerateContract.page(of: committed) == page, "run scripts/generate and commit what it writes")
    }

    @Test func `an operation has the name of its declaration`() throws {
        let sources = Self.root.appendingPathComponent("Sources/TenureAPI")
        var declared: [String: String] = [:]
        for file in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where file.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
            for match in text.matches(of: /static let (\w+) = Endpoint\(\s*"(\w+)",/) {
                declared[String(match.1)] = String(match.2)
            }
        }
        #expect(declared.filter { $0 != $1 } == [:])
        #expect(Set(declared.keys) == Set(Endpoint.all.compactMap { $0.terms?.operation }))
        #expect(declared.count == Endpoint.all.count)
    }

    @Test func `texts of what no longer exists are refused`() throws {
        let prose = try Self.prose()
        func fault(_ changed: String) -> String {
            #expect(changed != prose)
            do { return "none, but \(try GenerateContract.text(prose: changed).count) characters" } catch {
                return "\(error)"
            }
        }
        #expect(fault(prose.replacing("\n  startLogin:", with: "\n  startLogon:")).contains("startLog"))
        #expect(fault(prose.replacing("\n  answers.incorrect:", with: "\n  answers.wrong:")).contains("answers.wrong"))
        #expect(fault(prose.replacing("      presentedBy:", with: "      presentedTo:")).contains("presentedTo"))
        #expect(fault(prose.replacing("\n  LoginRequest:", with: "\n  LogonRequest:")).contains("LogonRequest"))
    }

    @Test func `the endpoints behind mailed links answer with pages only, and other endpoints with problems`() throws {
        let paths = try ContractDocument(ContractProse(Self.prose())).root()["paths"]
        let ofLinks = Endpoint.all.filter { $0.terms?.answer.refusesByPage == true }
        #expect(ofLinks.count == 8)
        for endpoint in ofLinks {
            let operation = try #require(paths?[endpoint.template.text]?[endpoint.method.lowercased()])
            let responses = operation["responses"]?.members ?? []
            for response in responses where response.node["$ref"] == nil {
                #expect(response.node["content"]?.members.map(\.name) == ["text/html"], "\(endpoint) \(response.name)")
            }
            let references = Dictionary(
                uniqueKeysWithValues: responses.compactMap { response in
                    response.node["$ref"]?.scalar.map { (response.name, $0) }
                })
            #expect(references["default"] == "#/components/responses/LinkRefused")
            #expect(references["400"] == "#/components/responses/LinkRefused")
            #expect(references["429"] == "#/components/responses/LinkRefusedForNow")
            #expect(references.values.allSatisfy { $0.hasPrefix("#/components/responses/LinkRefused") })
        }
        #expect(
            paths?["/v1/logins"]?["post"]?["responses"]?["default"]?["$ref"]?.scalar
                == "#/components/responses/Problem")
    }

    @Test func `forms, redirections and pages are declared like JSON`() throws {
        let texts = """

            operations:
              sendForm: {answer: "It goes on elsewhere."}
              showForm: {answer: "The form.", pages: {410: "A page: too late."}}
            """
        let prose = try Self.prose().replacing("\noperations:", with: texts)
        let forms = [
            Endpoint(
                "sendForm", "POST", "/form", "Send a form", .sessions, by: [.anyone], takes: .form(named: "TokenForm"),
                answers: .redirect()),
            Endpoint(
                "showForm", "GET", "/form", "Show a form", .sessions, by: [.anyone], answers: .page(refusals: [410])),
        ]
        let root = try ContractDocument(ContractProse(prose)).root(of: Endpoint.all + forms)
        let send = try #require(root["paths"]?["/form"]?["post"]), show = try #require(root["paths"]?["/form"]?["get"])
        let body = root["components"]?["requestBodies"]?["TokenForm"]?["content"]
        #expect(send["requestBody"]?["$ref"]?.scalar == "#/components/requestBodies/TokenForm")
        #expect(body?.members.map(\.name) == ["application/x-www-form-urlencoded"])
        #expect(send["responses"]?.members.map(\.name) == ["303", "400", "413", "415", "429", "503", "default"])
        #expect(send["responses"]?["303"]?["headers"]?["Location"] != nil)
        #expect(send["responses"]?["303"]?["content"] == nil)
        #expect(show["responses"]?["200"]?["content"]?.members.map(\.name) == ["text/html"])
        #expect(show["responses"]?["410"]?["content"]?.members.map(\.name) == ["text/html"])
    }
}
