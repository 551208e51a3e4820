import Canonical
import Foundation
import MPinCryptography
import MPinRequests
import Synchronization
import Testing

@testable import MPinAuthority

/// A clock that a test sets.
final class SettableClock: Sendable {
    private let time: Mutex<Timestamp>

    init(_ start: Timestamp = Sample.start) { time = Mutex(start) }

    var now: Timestamp { time.withLock { $0 } }

    func advance(_ duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
}

/// The directory of a test's D-TA, removed with this value.
final class TemporaryAuthority {
    let parent: String
    let directory: MPinAuthorityDirectory

    init(creates: Bool = true) throws {
        parent = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-dta-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        directory = MPinAuthorityDirectory(path: parent + "/dta")
        if creates { try directory.create() }
    }

    deinit { try? FileManager.default.removeItem(atPath: parent) }

    func signingKey() throws -> MPinSigningKey { try MPinSigningKey(file: path("signing.key")) }

    func path(_ name: String) -> String { directory.path + "/" + name }

    func read(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    func write(_ name: String, _ data: Data, mode: Int = 0o600) throws {
        try data.write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    func mode(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}

enum Sample {
    static let start = Timestamp(microseconds: 1_790_000_000_250_000)
    static let tenant = UUID(bytes: Array(repeating: 0x5a, count: 16)) ?? .random()
    static let hash = [UInt8](0..<32)

    static func request(
        _ share: MPinKeyRequest.Share = .clientKey(mpinIDHash: hash), tenant: UUID = tenant, epoch: UInt32 = 1,
        at time: Timestamp = start, lifetime: Duration = .seconds(50)
    ) -> MPinKeyRequest {
        MPinKeyRequest(share, tenantID: tenant, epoch: epoch, expires: time.adding(lifetime))
    }
}

extension MPinKeyIssuer {
    func answer(_ request: MPinKeyRequest, _ key: MPinSigningKey) -> MPinAuthorityAnswer {
        answer(method: "GET", target: "/\(request.share.name)?\(request.query(signedWith: key))")
    }
}

extension MPinAuthorityAnswer {
    /// A member of the JSON object; `nil` if there is none.
    func text(_ name: String) -> String? {
        guard case .object(let members)? = try? StrictJSON.parse(body), case .string(let text)? = members[name] else {
            return nil
        }
        return text
    }

    /// Whether the answer holds a message and nothing else.
    var isBare: Bool {
        guard case .object(let members)? = try? StrictJSON.parse(body) else { return false }
        return members.keys.sorted() == ["message"]
    }
}

extension TemporaryAuthority {
    /// Runs `body` with the D-TA and closes it, as the end of its process would.
    func opened<Result>(_ clock: SettableClock, _ body: (MPinKeyIssuer) throws -> Result) throws -> Result {
        try body(try directory.open(now: { clock.now }))
    }
}
