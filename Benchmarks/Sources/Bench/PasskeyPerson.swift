import Canonical
import Crypto
import Foundation
import IdentityService
import TenureAPI
import TenureServer

/// A passkey with its authenticator: it makes and signs what a browser sends.
struct PasskeyPerson: Sendable {
    /// The public URL of the service that is measured, and the site of its passkeys.
    static let origin = "https://login.example"
    static let site = "login.example"
    private static let visitor = "a browser of the benchmark"
    /// User present, user verified.
    private static let flags: UInt8 = 0x05
    /// An authenticator says this too if a credential follows.
    private static let credentialFollows: UInt8 = 0x40

    private let key = P256.Signing.PrivateKey()
    private let id = (0..<16).map { _ in UInt8.random(in: 0...255) }
    private let handle: [UInt8]

    /// Adds a passkey to the account of a registered founder, and lets the company's people log in by passkeys.
    init(of person: BenchPerson, _ session: BenchSession) async throws {
        let service = session.service, call = session.call
        let token = try await session.logIn(person).accessToken
        let caller = try await service.run(AuthenticateSession(accessToken: token), call)
        guard let pages = try await service.run(ActAsPagesApp(), call),
            let own = try await service.run(ReadPasskeys(caller: caller), call)
        else { throw BenchError("the service has no pages, or takes no passkeys") }
        handle = own.handle
        try await session.decide(person) {
            ChangePolicy(
                company: person.company, PolicyChangeRequest(logIn: .passkeyOrSecret, signed: $0),
                caller: .employee(caller))
        }
        let challenge = try await service.run(
            IssuePasskeyChallenge(addedBy: caller, visitor: Self.visitor, app: pages), call)
        let fingerprint = try await service.run(
            AddPasskey(
                made(), challenge: challenge, proof: evidence(over: challenge), visitor: Self.visitor, caller: caller,
                app: pages), call)
        try await session.decide(person) {
            DecideKey(
                .authorize, company: person.company, companyEmployeeId: "founder", fingerprint: fingerprint,
                signed: $0, caller: .employee(caller))
        }
    }

    /// The fields by which the log-in page answers a challenge.
    func answer(_ challenge: [UInt8]) throws -> [(name: String, value: String)] {
        [
            ("credential", Base64URL.encode(id)), ("user", Base64URL.encode(handle)),
            ("challenge", Base64URL.encode(challenge)), ("proof", Base64URL.encode(try evidence(over: challenge))),
        ]
    }

    private func made() -> AddPasskey.Made {
        let random = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let point = Array(key.publicKey.x963Representation)
        // The COSE key of P-256 (RFC 9053, section 7.1).
        let cose: [UInt8] =
            [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[1..<33] + [0x22, 0x58, 0x20]
            + point[33...]
        let credential = [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id + cose
        return AddPasskey.Made(
            random: random, authenticatorData: authenticatorData(Self.flags | Self.credentialFollows) + credential,
            clientDataJSON: clientData("webauthn.create", random), spki: Array(key.publicKey.derRepresentation))
    }

    /// Evidence of kind 2 over the SHA-256 of bytes (docs/credentials.md).
    private func evidence(over bytes: [UInt8]) throws -> [UInt8] {
        let authenticator = authenticatorData(Self.flags)
        let client = clientData("webauthn.get", Array(SHA256.hash(data: bytes)))
        let signature = try key.signature(for: authenticator + Array(SHA256.hash(data: client)))
        func framed(_ part: [UInt8]) -> [UInt8] { [UInt8(part.count >> 8), UInt8(part.count & 255)] + part }
        return [2, 1] + framed(authenticator) + framed(client) + Array(signature.rawRepresentation)
    }

    private func authenticatorData(_ flags: UInt8) -> [UInt8] {
        Array(SHA256.hash(data: Array(Self.site.utf8))) + [flags, 0, 0, 0, 0]
    }

    private func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
        let challenge = Base64URL.encode(challenge)
        return Array(
            #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(Self.origin)","crossOrigin":false}"#.utf8)
    }
}

extension BenchSession {
    /// Makes a decision that a person signs: the first call gets the statement, the second one has its signature.
    fileprivate func decide<Decision: UseCase>(
        _ person: BenchPerson, _ decision: (StatementSignature?) -> Decision
    ) async throws where Decision.Answer == DecisionResponse {
        guard case .signatureRequired(let statement) = try await service.run(decision(nil), call) else {
            throw BenchError("a decision asks for no signature")
        }
        let signed = StatementSignature(statement: statement, signature: try person.sign(statement))
        guard case .done = try await service.run(decision(signed), call) else {
            throw BenchError("a signed decision was not made")
        }
    }
}
