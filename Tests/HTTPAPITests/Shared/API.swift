import Canonical
import ErrorCodes
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import TenureAPI
import Testing
@testable import HTTPAPI

/// A client of the API under test.
struct API: Sendable {
    /// What came back.
    struct Answer: Sendable {
        var status: Int
        var fields: HTTPFields
        var bytes: [UInt8]
        /// Whether the request belongs to the M-Pin protocol, in which 401 means a wrong proof.
        var isMPinProtocol = false

        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }

        var json: JSONValue { get throws { try StrictJSON.parse(bytes) } }

        /// The problem document; everything that every one must have is checked.
        var problem: Problem {
            get throws {
                #expect(header("Content-Type") == "application/problem+json")
                let problem = try Problem(json: json)
                #expect(problem.status == status)
                #expect(problem.requestId == header("X-Request-Id"))
                #expect(problem.instance == "urn:tenure:request:" + problem.requestId)
                let isRefusedApp = problem.code == "app.unknown" || problem.code == "app.secret_invalid"
                let expected = isMPinProtocol && isRefusedApp ? 403 : ErrorCode(rawValue: problem.code)?.status
                #expect(expected == status)
                return problem
            }
        }
    }

    static let basic = "Basic " + Base64.encode(Array("app:\(FakeService.secret)".utf8))
    static let bearer = "Bearer " + FakeService.token

    let client: any TestClientProtocol

    /// Runs an application over this service, in memory or on a port of its own.
    static func with<Value: Sendable>(
        _ service: FakeService = FakeService(), configuration: HTTPConfiguration = HTTPConfiguration(port: 0),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, live: Bool = false,
        _ work: @Sendable (API) async throws -> Value
    ) async throws -> Value {
        let application = try makeApplication(service: service, configuration: configuration, logger: logger)
        return try await application.test(live ? .live : .router) { try await work(API(client: $0)) }
    }

    /// Sends a request; JSON is what a body is, and a form at the OpenID provider, unless the headers say otherwise.
    func send(
        _ method: String, _ path: String, _ headers: [(String, String)] = [], authorization: String? = API.basic,
        body: String? = nil
    ) async throws -> Answer {
        var fields = HTTPFields()
        if let authorization { fields[.authorization] = authorization }
        if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
            let isForm = ["/oauth/", "/authorize", "/logout"].contains { path.hasPrefix($0) }
            fields[.contentType] = isForm ? FormEncoding.mediaType : "application/json"
        }
        for (name, value) in headers {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let response = try await client.executeRequest(
            uri: path, method: try #require(HTTPRequest.Method(method)), headers: fields,
            body: body.map { ByteBuffer(string: $0) })
        return Answer(
            status: response.status.code, fields: response.headers, bytes: Array(response.body.readableBytesView),
            isMPinProtocol: path.hasPrefix("/mpin/"))
    }
}

/// Runs a command of this machine.
enum Command {
    /// Runs it to its end on a thread of its own and answers its status and its standard output.
    static func run(_ arguments: [String], input: String? = nil) async throws -> (status: Int32, output: String) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try runBlocking(arguments, input: input) }) }
        }
    }

    /// Runs it on this thread.
    static func runBlocking(_ arguments: [String], input: String? = nil) throws -> (status: Int32, output: String) {
        let process = Process()
        let (output, errors, stdin) = (Pipe(), FileHandle.nullDevice, Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = stdin
        try process.run()
        if let input { try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        try stdin.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Whether these commands are there and answer `arguments` with success.
    static func exists(_ arguments: [String]) -> Bool { (try? runBlocking(arguments))?.status == 0 }
}
