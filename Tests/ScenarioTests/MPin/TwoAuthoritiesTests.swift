import Canonical
import Foundation
import MPinAuthority
import MPinCryptography
import MPinRequests
import TestSupport
import Testing

/// Two D-TAs as processes of the operating system, as `tenure dta` creates and serves them.
struct `Two D-TAs` {
    private static let tenant = UUID.random()
    private static let hash = [UInt8](0..<32)

    @Test func `issue keys that accept the right PIN only, also after a restart`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        let places = [files.path("dta-1"), files.path("dta-2")]
        var first: [String] = []
        for isRestart in [false, true] {
            var client: [String] = [], server: [String] = []
            for place in places {
                if !isRestart { try await created(place) }
                let authority = try await AuthorityProcess(place)
                client.append(try await authority.share("clientSecret", .clientKey(mpinIDHash: Self.hash), Self.tenant))
                server.append(try await authority.share("serverSecret", .serverKey, Self.tenant))
                await authority.end()
            }
            #expect(Set(client + server).count == 4)
            if isRestart { #expect(client + server == first) } else { first = client + server }
            try verify(client, server)
        }
    }

    @Test func `give nothing for forged and expired requests`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        let places = [files.path("dta-1"), files.path("dta-2")]
        for place in places { try await created(place) }
        let authority = try await AuthorityProcess(places[0])
        let other = try MPinSigningKey(file: places[1] + "/signing.key")
        for share in [MPinKeyRequest.Share.clientKey(mpinIDHash: Self.hash), .serverKey] {
            let path = share == .serverKey ? "/serverSecret?" : "/clientSecret?"
            for (lifetime, key, status, message) in [
                (50, other, 403, "SIGNATURE_INVALID"), (-1, authority.key, 408, "REQUEST_EXPIRED"),
                (120, authority.key, 408, "REQUEST_EXPIRED"),
            ] {
                let request = MPinKeyRequest(
                    share, tenantID: Self.tenant, expires: .now().adding(.seconds(lifetime)))
                let reply = try await authority.get(path + request.query(signedWith: key))
                #expect(reply.status == status && reply.body == ["message": .string(message)])
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: places[0] + "/issued")).isEmpty)
        await authority.end()
    }

    @Test func `are never overwritten, and refuse files that others can read`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        let place = files.path("dta")
        try await created(place)
        let before = try Data(contentsOf: URL(fileURLWithPath: place + "/authority.json"))
        let again = try await tenure(["init", "--directory", place])
        #expect(again.status == 1 && again.lines.joined().contains("never overwritten"), "\(again)")
        let kept = try await tenure(["init", "--directory", place, "--if-missing"])
        #expect(kept.status == 0, "\(kept)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: place + "/authority.json")) == before)
        let clear = try await tenure(["serve", "--directory", place, "--host", "0.0.0.0", "--port", "0"])
        #expect(clear.status == 64 && clear.lines.joined().contains("--certificate"), "\(clear)")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place + "/sealing.key")
        let exposed = try await tenure(["serve", "--directory", place, "--port", "0"])
        #expect(exposed.status == 1 && exposed.lines.joined().contains("chmod 600"), "\(exposed)")
    }

    private func created(_ place: String) async throws {
        let made = try await tenure(["init", "--directory", place])
        try #require(made.status == 0, "\(made)")
    }

    private func tenure(_ arguments: [String]) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess(
            "tenure", ["dta"] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"], keepsErrors: true
        ).finish()
    }

    private func verify(_ client: [String], _ server: [String]) throws {
        let identity = try MPinIdentityPoint(digest: Self.hash), right = try MPinPIN("2741")
        let key = try MPinClientKey(
            adding: try client.map { try MPinClientKeyShare(encoded: try #require(Hex.decode($0))) })
        let serverKey = try MPinServerKey(
            adding: try server.map { try MPinServerKeyShare(encoded: try #require(Hex.decode($0))) })
        let token = key.token(without: right, for: identity)
        for (pin, isRight) in [(right, true), (try MPinPIN("2742"), false)] {
            let prover = MPinProver(identity: identity), challenge = MPinChallenge()
            let commitment = prover.commitment
            let response = try prover.respond(to: challenge, token: token, pin: pin)
            #expect(serverKey.accepts(response, to: challenge, after: commitment, from: identity) == isRight)
        }
    }
}

/// `tenure dta serve` as a process, with its signing key.
private struct AuthorityProcess {
    let key: MPinSigningKey
    private let process: ChildProcess
    private let port: UInt16

    /// Starts a process and waits until it serves. Another test may take its port meanwhile; then another is tried.
    init(_ place: String) async throws {
        key = try MPinSigningKey(file: place + "/signing.key")
        for _ in 0..<5 {
            let port = try TCPConnection.freePort()
            let process = try ChildProcess(
                "tenure", ["dta", "serve", "--directory", place, "--port", String(port)],
                environment: ["SWIFT_BACKTRACE": "enable=no"])
            for _ in 0..<100 where process.isAlive {
                if let reply = try? await Self.get("/healthz", port), reply.status == 200, process.isAlive {
                    self.process = process
                    self.port = port
                    return
                }
                try await Task.sleep(for: .milliseconds(50))
            }
            process.kill()
            _ = await process.finish()
        }
        throw TemporaryFiles.Failure(description: "a D-TA did not become ready")
    }

    /// Ends the process as a crash would, and waits for its end.
    func end() async {
        process.kill()
        _ = await process.finish()
    }

    /// Asks for a share and expects it.
    func share(_ name: String, _ share: MPinKeyRequest.Share, _ tenant: UUID) async throws -> String {
        let request = MPinKeyRequest(share, tenantID: tenant, expires: .now().adding(.seconds(50)))
        let reply = try await get("/\(name)?\(request.query(signedWith: key))")
        #expect(reply.status == 200 && reply.body["message"] == "OK")
        guard case .string(let text)? = reply.body[name] else {
            throw TemporaryFiles.Failure(description: "the D-TA gave no share")
        }
        return text
    }

    func get(_ path: String) async throws -> (status: Int, body: [String: JSONValue]) {
        try await Self.get(path, port)
    }

    private static func get(_ path: String, _ port: UInt16) async throws -> (status: Int, body: [String: JSONValue]) {
        let text = String(
            decoding: try await TCPConnection.exchange(HTTPRequest("GET", path).bytes, port: port), as: UTF8.self)
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        guard parts.count == 2, let status = Int(text.dropFirst(9).prefix(3)),
            case .object(let body) = try StrictJSON.parse(Array(parts[1].utf8))
        else { throw TemporaryFiles.Failure(description: "no answer of a D-TA") }
        return (status, body)
    }
}
