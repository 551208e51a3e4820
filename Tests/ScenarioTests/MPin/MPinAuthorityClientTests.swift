import Canonical
import Crypto
import Foundation
import HTTPLimits
import IdentityService
import Logging
import MPinAuthority
import MPinCryptography
import MPinRequests
import TenureServer
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The service's client of D-TAs against real ones, and against servers that are none.
struct `The client of the D-TAs` {
    private static let tenant = UUID.random()
    private static let hash = [UInt8](0..<32)
    private static let strange = MPinSigningKey(bytes: [UInt8](repeating: 7, count: 32))

    private let log = CollectedLog()

    private func client(
        _ first: MPinAuthorityClientConfiguration.Authority, _ second: MPinAuthorityClientConfiguration.Authority,
        certificateAuthorityFile: String? = nil, timeLimit: Duration = .seconds(20)
    ) throws -> MPinAuthorityClient {
        try MPinAuthorityClient(
            MPinAuthorityClientConfiguration(
                first: first, second: second, certificateAuthorityFile: certificateAuthorityFile,
                timeLimit: timeLimit), logger: log.logger)
    }

    /// A second D-TA that no test asks.
    private func nobody() throws -> MPinAuthorityClientConfiguration.Authority {
        try .init(
            address: #require(MPinAuthorityAddress("http://127.0.0.1:1")), signingKey: #require(Self.strange))
    }

    private func member(_ address: MPinAuthorityAddress) throws -> MPinAuthorityClientConfiguration.Authority {
        try .init(address: address, signingKey: #require(Self.strange))
    }

    /// The failure of a client key's share, which must say nothing of the request.
    private func failure(_ client: MPinAuthorityClient, at time: Timestamp = .now()) async -> MPinKeySourceError? {
        let error = await #expect(throws: MPinKeySourceError.self) {
            try await client.clientKeyShare(mpinIDHash: Self.hash, tenant: Self.tenant, epoch: 1, at: time)
        }
        for text in log.lines + [error?.description ?? ""] {
            for secret in ["signature", Hex.encode(Self.hash), Self.tenant.lowercased] {
                #expect(!text.contains(secret))
            }
        }
        return error
    }

    @Test func `gets shares that accept the right PIN only`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        try await RunningAuthority.serve(files.path("dta-1")) { first in
            try await RunningAuthority.serve(files.path("dta-2")) { second in
                let client = try client(first.member, second.member)
                #expect(client.clientURL == second.address.text && client.epoch == 1 && client.oldestEpoch == 1)
                let share = try await client.clientKeyShare(
                    mpinIDHash: Self.hash, tenant: Self.tenant, epoch: 1, at: .now())
                let query = client.clientKeyQuery(mpinIDHash: Self.hash, tenant: Self.tenant, epoch: 1, at: .now())
                let (data, _) = try await URLSession.shared.data(
                    from: #require(URL(string: "\(client.clientURL)clientSecret?\(query)")))
                guard case .object(let members) = try StrictJSON.parse(Array(data)),
                    case .string(let other)? = members["clientSecret"]
                else { return #expect(Bool(false), "the second D-TA gave no share") }
                let server = try await client.serverKeyShares(tenant: Self.tenant, epoch: 1, at: .now())
                try verify([share, #require(Hex.decode(other))], server)
                let later = try await client.serverKeyShares(tenant: Self.tenant, epoch: 2, at: .now())
                #expect(Set(server + later).count == 4)
                #expect(await client.examine(at: .now()).allSatisfy { $0.failure == nil })
            }
        }
        #expect(log.lines == [])
    }

    private func verify(_ client: [[UInt8]], _ server: [[UInt8]]) throws {
        let identity = try MPinIdentityPoint(digest: Self.hash), right = try MPinPIN("2741")
        let token = try MPinClientKey(adding: try client.map { try MPinClientKeyShare(encoded: $0) })
            .token(without: right, for: identity)
        let serverKey = try MPinServerKey(adding: try server.map { try MPinServerKeyShare(encoded: $0) })
        for (pin, isRight) in [(right, true), (try MPinPIN("2742"), false)] {
            let prover = MPinProver(identity: identity), challenge = MPinChallenge()
            let commitment = prover.commitment
            let response = try prover.respond(to: challenge, token: token, pin: pin)
            #expect(serverKey.accepts(response, to: challenge, after: commitment, from: identity) == isRight)
        }
    }

    @Test func `tells a wrong key, an expired request and a closed identity apart`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        try MPinAuthorityDirectory(path: files.path("dta")).create()
        let point = try MPinIdentityPoint(digest: Self.hash).encoded
        let old = Timestamp.now().adding(.seconds(-100_000))
        try Data("\(Hex.encode(Array(SHA256.hash(data: point)))) \(old)\n".utf8)
            .write(to: URL(filePath: files.path("dta/issued")))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.path("dta/issued"))
        try await RunningAuthority.serve(files.path("dta")) { authority in
            let wrong = try client(member(authority.address), nobody())
            #expect(await self.failure(wrong)?.code == .refused)
            #expect(log.lines.last?.contains("signing key") == true)
            let right = try client(authority.member, nobody())
            for offset in [-300, 300] {
                let failure = await self.failure(right, at: .now().adding(.seconds(offset)))
                #expect(failure?.code == .refused && failure?.description.contains("clocks") == true)
                #expect(log.lines.last?.hasPrefix("error ") == true && log.lines.last?.contains("clocks") == true)
                // Both clocks are this machine's: the difference is what the call took, not the offset.
                let seconds = log.lines.last.flatMap { $0.firstMatch(of: #/ ([0-9]+) s /#) }.flatMap { Int($0.1) }
                #expect(seconds.map { $0 < 200 } == true, "\(log.lines.last ?? "")")
            }
            let count = log.lines.count
            #expect(await self.failure(right)?.code == .closed)
            #expect(log.lines.count == count)
            let found = await wrong.examine(at: .now())
            #expect(found.map(\.failure?.code) == [.refused, .unavailable])
        }
    }

    @Test func `refuses the same share from both`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        try await RunningAuthority.serve(files.path("dta")) { authority in
            let text = authority.address.text.replacing("localhost", with: "127.0.0.1")
            let second = MPinAuthorityClientConfiguration.Authority(
                address: try #require(MPinAuthorityAddress(text)), signingKey: authority.key)
            let client = try client(authority.member, second)
            let error = await #expect(throws: MPinKeySourceError.self) {
                try await client.serverKeyShares(tenant: Self.tenant, epoch: 1, at: .now())
            }
            #expect(error?.code == .malformed && error?.description.contains("same share") == true)
            #expect(await client.examine(at: .now()).map(\.failure?.code) == [nil, .malformed])
        }
    }

    @Test func `verifies the certificate of a D-TA`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        let chain = files.path("chain.pem"), key = files.path("key.pem")
        try files.openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
            "-out", chain, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        let certificate = try ServerCertificate(chainFile: chain, keyFile: key, logger: log.logger)
        try await RunningAuthority.serve(files.path("dta"), certificate: certificate) { authority in
            let trusting = try client(authority.member, nobody(), certificateAuthorityFile: chain)
            let share = try await trusting.clientKeyShare(
                mpinIDHash: Self.hash, tenant: Self.tenant, epoch: 1, at: .now())
            #expect(share.count == 97)
            let other = try client(authority.member, nobody())
            let failure = await self.failure(other)
            #expect(failure?.code == .unavailable && failure?.description.contains("trusts") == true)
        }
        #expect(throws: MPinAuthorityClientError.self) {
            try client(nobody(), nobody(), certificateAuthorityFile: files.path("missing.pem"))
        }
    }

    @Test func `tries once more when a connection fails`() async throws {
        try await CannedServer.serve("") { server in
            let client = try client(member(server.address), nobody())
            #expect(await self.failure(client)?.code == .unavailable)
            #expect(server.connections.value == 2)
        }
        let failure = await self.failure(try client(nobody(), member(#require(MPinAuthorityAddress("http://[::1]:2")))))
        #expect(failure?.code == .unavailable && failure?.description.contains("cannot be reached") == true)
        #expect(log.lines.allSatisfy { $0.hasPrefix("warning ") })
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"client"])
    func `gives up on an answer that stalls`(start: String) async throws {
        try await CannedServer.serve(start, stalls: true) { server in
            let client = try client(member(server.address), nobody(), timeLimit: .milliseconds(300))
            let started = ContinuousClock.now
            let failure = await self.failure(client)
            #expect(failure?.code == .unavailable && failure?.description.contains("in time") == true)
            #expect(started.duration(to: .now) < .seconds(20))
        }
    }

    private static func answer(_ body: String, status: String = "200 OK", fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
    }

    private static func share(_ text: String, _ more: String = "") -> String {
        answer("{\"clientSecret\":\"\(text)\",\"message\":\"OK\"\(more)}")
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", answer("garbage"), answer("{}"), answer("[]"),
        share(""), share(String(repeating: "0", count: 192)), share(String(repeating: "0", count: 384)),
        share("04" + String(repeating: "AB", count: 96)), share("04" + String(repeating: "ab", count: 96), ",\"x\":1"),
        answer("{\"clientSecret\":\"04\(String(repeating: "ab", count: 96))\",\"message\":\"NO\"}"),
        answer("{\"serverSecret\":\"04\(String(repeating: "ab", count: 96))\",\"message\":\"OK\"}"),
        share(String(repeating: "0", count: 9_000)),
        answer("", status: "302 Found", fields: "Location: http://127.0.0.1:9/\r\n"),
        answer("", status: "204 No Content"), answer("{\"message\":\"NOT_FOUND\"}", status: "404 Not Found"),
        answer("{}", status: "410 Gone"),
        answer("{\"message\":\"OK\"}", status: "403 Forbidden"), answer("", status: "408 Request Timeout"),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4000\r\n\(String(repeating: "x", count: 0x4000))\r\n0\r\n\r\n",
    ])
    func `refuses what is no answer of a D-TA`(answer: String) async throws {
        try await CannedServer.serve(answer) { server in
            let client = try client(member(server.address), nobody())
            #expect(await self.failure(client)?.code == .malformed)
            #expect(server.connections.value == 1)
        }
    }

    @Test(arguments: ["500 Internal Server Error", "503 Service Unavailable", "429 Too Many Requests"])
    func `may succeed later when a D-TA cannot work now`(status: String) async throws {
        try await CannedServer.serve(Self.answer("{\"message\":\"UNAVAILABLE\"}", status: status)) { server in
            let client = try client(member(server.address), nobody())
            #expect(await self.failure(client)?.code == .unavailable)
        }
    }

    @Test func `accepts a well-formed share, whatever the order of its members`() async throws {
        let hexadecimal = "04" + String(repeating: "ab", count: 96)
        try await CannedServer.serve(Self.answer("{ \"message\":\"OK\",\"clientSecret\":\"\(hexadecimal)\" }")) {
            server in
            let client = try client(member(server.address), nobody())
            let share = try await client.clientKeyShare(
                mpinIDHash: Self.hash, tenant: Self.tenant, epoch: 1, at: .now())
            #expect(Hex.encode(share) == hexadecimal)
        }
    }
}
