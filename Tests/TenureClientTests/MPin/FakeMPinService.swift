import Canonical
import Credentials
import Crypto
import Foundation
import MPinCryptography
import TenureAPI

@testable import TenureClient

/// A service with M-Pin and its two D-TAs, with real keys and proofs. Each call can be told to answer otherwise.
actor FakeMPinService: Transport {
    /// The calls that can be told to answer otherwise.
    enum Call: String, Sendable, CaseIterable {
        case settings, start, restart, signature, secondShare, pass1, pass2, authenticate, me, link, logIn
    }

    /// What a call gets instead of its usual response.
    enum Reply: Sendable {
        case usual
        case response(WireResponse)
        /// The usual response with other members.
        case altered(@Sendable ([String: JSONValue]) -> [String: JSONValue])
        /// Nothing: the request is lost.
        case lose
        /// The service takes the request, and its response is lost.
        case loseResponse
    }

    /// What the service knows of an identity.
    struct Identity: Sendable {
        let userId: String
        let id = UUID()
        var isVerified: Bool
        var isRegistered = false
        var failures = 0
    }

    static let base = "https://id.example"
    static let backend = base + "/mpin/acme.example"
    static let tenant = UUID()
    static let employee = UUID()

    private let masters: [MPinMasterShare]
    private let serverKey: MPinServerKey
    private(set) var identities: [String: Identity] = [:]
    private var passes: [String: (mpinId: String, commitment: MPinCommitment, challenge: MPinChallenge)] = [:]
    private var verdicts: [String: (mpinId: String, isRight: Bool)] = [:]
    private var replies: [Call: [Reply]] = [:]
    private(set) var sent: [WireRequest] = []
    var signed: [StatementSignature] = []
    var presented: (key: EmployeePublicKey, flow: UUID, company: String, employee: String)?
    /// Whether a start verifies at once.
    private var verifiesAtOnce: Bool
    var statement: @Sendable (MPinStatement) -> MPinStatement = { $0 }
    var challengedFlow: UUID?
    private var kept: [String: WireResponse] = [:]

    init(verifiesAtOnce: Bool = true) throws {
        self.verifiesAtOnce = verifiesAtOnce
        let tenant = [UInt8](repeating: 7, count: 16)
        masters = try [1, 2].map { try MPinMasterSecret(bytes: .init(repeating: $0, count: 32)) }
            .map { try $0.share(tenantID: tenant, epoch: 1) }
        serverKey = try MPinServerKey(adding: masters.map { $0.serverKeyShare() })
    }

    /// What the next calls of a kind get, in order; the usual when there is nothing more.
    func answer(_ call: Call, _ replies: Reply...) { self.replies[call] = replies }
    /// Changes the statements to sign.
    func change(_ change: @Sendable @escaping (MPinStatement) -> MPinStatement) { statement = change }
    /// Challenges name another flow.
    func challengeAnotherFlow() { challengedFlow = UUID() }
    func verifyAll() { for id in identities.keys { identities[id]?.isVerified = true } }

    func send(_ request: WireRequest) async throws -> WireResponse {
        sent.append(request)
        await Task.yield()
        let call = Self.call(request)
        let reply =
            call.flatMap { call in
                replies[call].flatMap { $0.isEmpty ? nil : $0.first }
            } ?? .usual
        if let call, replies[call]?.isEmpty == false { replies[call]?.removeFirst() }
        switch reply {
        case .lose: throw StubTransport.Lost()
        case .response(let response): return response
        case .usual: return try usual(request)
        case .loseResponse:
            _ = try usual(request)
            throw StubTransport.Lost()
        case .altered(let change):
            let response = try usual(request)
            guard case .object(let members) = try StrictJSON.parse(response.body) else { return response }
            return WireResponse(status: response.status, body: JSONValue.object(change(members)).canonicalBytes())
        }
    }

    private static func call(_ request: WireRequest) -> Call? {
        let path = request.url.split(separator: "?")[0]
        if path.hasSuffix("/rps/clientSettings") { return .settings }
        if path.hasSuffix("/rps/user") { return .start }
        if path.contains("/rps/user/") { return .restart }
        if path.contains("/rps/signature/") { return .signature }
        if path.hasSuffix("/clientSecret") { return .secondShare }
        if path.hasSuffix("/rps/pass1") { return .pass1 }
        if path.hasSuffix("/rps/pass2") { return .pass2 }
        if path.hasSuffix("/authenticate") { return .authenticate }
        if path.hasSuffix("/v1/me") { return .me }
        if path.hasSuffix("/link") { return .link }
        return path.hasSuffix("/mpin") ? .logIn : nil
    }

    private func usual(_ request: WireRequest) throws -> WireResponse {
        switch Self.call(request) {
        case .settings:
            return Self.json([
                "certivoxURL": "https://dta.example/", "suite": "BLS12381-AMCL3-SHA256", "usePermits": false,
                "appID": "x",
            ])
        case .start: return try started(request)
        case .restart: return restarted(request)
        case .signature: return try signature(request)
        case .secondShare: return try secondShare(request)
        case .pass1, .pass2, .authenticate: return try proof(request)
        case .me: return me()
        case .link: return try link(request)
        case .logIn: return Self.problem("mpin.wrong_pin", 401)
        case nil: return try flow(request)
        }
    }

    private func started(_ request: WireRequest) throws -> WireResponse {
        var reader = try ObjectReader(try StrictJSON.parse(request.body ?? []))
        let user = try reader.string("userId"), mobile = try reader.integer("mobile")
        guard mobile == 1 else { return Self.problem("request.invalid", 400) }
        let id = Hex.encode(Array("{\"userID\":\"\(user)\",\"salt\":\"\(UUID())\"}".utf8))
        identities[id] = Identity(userId: user, isVerified: verifiesAtOnce)
        return issued(id)
    }

    private func restarted(_ request: WireRequest) -> WireResponse {
        let id = String(request.url.split(separator: "/").last ?? "")
        guard let identity = identities[id] else { return Self.problem("mpin.unknown", 400) }
        return identity.isVerified && !verifiesAtOnce ? Self.problem("mpin.wrong_state", 409) : issued(id)
    }

    private func issued(_ id: String) -> WireResponse {
        Self.json([
            "mpinId": .string(id), "regOTT": .string(Self.regOTT(id)), "active": .bool(verifiesAtOnce),
            "expireTime": "2026-11-23T15:00:00Z", "nowTime": "2026-11-23T14:00:00Z",
            "identityId": identities[id].map { .uuid($0.id) } ?? .null,
        ])
    }

    /// The token of a registration.
    static func regOTT(_ id: String) -> String {
        String(Hex.encode(Array(SHA256.hash(data: Array(id.utf8)))).prefix(32))
    }

    private func signature(_ request: WireRequest) throws -> WireResponse {
        let parts = request.url.split(separator: "?"), id = String(parts[0].split(separator: "/").last ?? "")
        guard let identity = identities[id], parts[1].hasPrefix("regOTT=\(Self.regOTT(id))") else {
            return Self.problem("mpin.unknown", 400)
        }
        guard !identity.isRegistered else { return Self.problem("request.invalid", 400) }
        guard identity.isVerified else { return Self.problem("mpin.unauthorized", 401) }
        let bytes = Hex.decode(id) ?? []
        let share = masters[0].clientKeyShare(for: try MPinIdentityPoint(mpinID: bytes))
        let digest = Hex.encode(Array(SHA256.hash(data: bytes)))
        return Self.json([
            "clientSecretShare": .string(Hex.encode(share.encoded)), "suite": "BLS12381-AMCL3-SHA256", "epoch": 1,
            "params": .string("app_id=x&expires=2026-11-23T14:00:00Z&hash_mpin_id=\(digest)&signature=00"),
        ])
    }

    private func secondShare(_ request: WireRequest) throws -> WireResponse {
        guard request.headers["Authorization"] == nil,
            let digest = request.url.split(separator: "&").first(where: { $0.hasPrefix("hash_mpin_id=") })?.dropFirst(
                13),
            let bytes = Hex.decode(String(digest))
        else { return WireResponse(status: 400) }
        let share = masters[1].clientKeyShare(for: try MPinIdentityPoint(digest: bytes))
        return Self.json(["clientSecret": .string(Hex.encode(share.encoded)), "message": "OK"])
    }

    private func proof(_ request: WireRequest) throws -> WireResponse {
        var reader = try ObjectReader(try StrictJSON.parse(request.body ?? []))
        switch Self.call(request) {
        case .pass1:
            let id = try reader.string("mpin_id")
            let challenge = MPinChallenge(), handle = UUID().uuidString
            let commitment = try MPinCommitment(encoded: Hex.decode(try reader.string("U")) ?? [])
            passes[handle] = (id, commitment, challenge)
            return Self.json([
                "pass": 1, "y": .string(Hex.encode(challenge.encoded)), "handle": .string(handle),
            ])
        case .pass2:
            guard let pass = passes.removeValue(forKey: try reader.string("handle")) else {
                return Self.problem("mpin.request_expired", 408)
            }
            let response = try MPinResponse(encoded: Hex.decode(try reader.string("V")) ?? [])
            let point = try MPinIdentityPoint(mpinID: Hex.decode(pass.mpinId) ?? [])
            let isRight = serverKey.accepts(response, to: pass.challenge, after: pass.commitment, from: point)
            let code = UUID().uuidString
            verdicts[code] = (pass.mpinId, isRight)
            return Self.json(["pass": 2, "authOTT": .string(code)])
        default:
            let key = request.headers["Idempotency-Key"] ?? ""
            let response = try kept[key] ?? verdict(try reader.string("authOTT"))
            kept[key] = response
            return response
        }
    }

    private func verdict(_ code: String) -> WireResponse {
        guard let verdict = verdicts.removeValue(forKey: code) else {
            return Self.problem("mpin.request_expired", 408)
        }
        guard let identity = identities[verdict.mpinId] else { return Self.problem("mpin.unauthorized", 401) }
        guard identity.failures < 3 else { return Self.problem("mpin.blocked", 410) }
        guard verdict.isRight else {
            identities[verdict.mpinId]?.failures += 1
            return identity.failures < 2 ? Self.problem("mpin.wrong_pin", 401) : Self.problem("mpin.blocked", 410)
        }
        identities[verdict.mpinId]?.failures = 0
        identities[verdict.mpinId]?.isRegistered = true
        return Self.json([
            "status": 200, "message": "OK", "userId": .string(identity.userId), "mpinId": .string(verdict.mpinId),
            "identityId": .uuid(identity.id), "verifiedBy": "application",
        ])
    }

    static func json(_ value: JSONValue, status: Int = 200) -> WireResponse {
        WireResponse(status: status, body: value.canonicalBytes())
    }

    /// A problem document; the code need not be one that this version lists.
    static func problem(_ code: String, _ status: Int) -> WireResponse {
        json(
            [
                "type": "/docs", "title": "A title", "status": .integer(Int64(status)), "detail": "Some advice.",
                "instance": "urn:x", "code": .string(code), "requestId": "r",
            ], status: status)
    }
}
