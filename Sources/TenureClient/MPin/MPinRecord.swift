public import Canonical
import Crypto
public import Foundation
import MPinCryptography

/// What a store keeps of an M-Pin user: identity, state and, once registered, the token.
///
/// The token alone does not help to guess the PIN. Together with the tenant's server key it gives the PIN.
public struct MPinRecord: Sendable, Equatable, Redacted {
    /// The address of the backend.
    public let backend: String
    /// The user id.
    public let userId: String
    /// The name of the device.
    public let deviceName: String?
    /// The state, never `INVALID`.
    public internal(set) var state: MPinUser.State
    /// The service's id of the identity.
    public internal(set) var identityId: UUID?
    /// The number of digits of the PIN, kept beside the token.
    public internal(set) var pinDigits: Int?
    /// The M-Pin ID as it is on the wire: lower-case hex.
    let mpinId: String
    /// The secret of the registration. Gone once the user is registered.
    var regOTT: String?
    /// The token: 97 bytes. Before the user is registered it has not been proved yet.
    var token: [UInt8]?
    /// The suite and the epoch of the key that the token comes from.
    var suite: MPinSuite?
    var epoch: Int64?

    init(backend: String, userId: String, deviceName: String?, state: MPinUser.State, mpinId: String) {
        self.backend = backend
        self.userId = userId
        self.deviceName = deviceName
        self.state = state
        self.mpinId = mpinId
    }

    /// The SHA-256 of backend and user id: 64 lower-case hex digits, safe as the name of a file.
    public var identifier: String { Self.identifier(backend: backend, userId: userId) }

    static func identifier(backend: String, userId: String) -> String {
        // Each part is prefixed with its length, so that no two names have the same bytes.
        let bytes = [backend, userId].flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
        return Hex.encode(Array(SHA256.hash(data: bytes)))
    }

    mutating func eraseToken() { (token, pinDigits, suite, epoch) = (nil, nil, nil, nil) }

    /// Ends the user for good: no token and no secret of the registration remains.
    mutating func block() {
        state = .blocked
        regOTT = nil
        eraseToken()
    }
}

extension MPinRecord {
    /// The bytes for a store: JSON with Milagro's names of states.
    public var storedBytes: [UInt8] {
        JSONValue.objectOmittingNil([
            "version": 1, "backend": .string(backend), "userId": .string(userId),
            "deviceName": deviceName.map(JSONValue.string), "state": .string(state.rawValue),
            "mpinId": .string(mpinId), "identityId": identityId.map(JSONValue.uuid),
            "regOTT": regOTT.map(JSONValue.string), "token": token.map { .string(Hex.encode($0)) },
            "digits": pinDigits.map { .integer(Int64($0)) }, "suite": suite.map { .string($0.rawValue) },
            "epoch": epoch.map(JSONValue.integer),
        ]).canonicalBytes()
    }

    /// Reads bytes that ``storedBytes`` produced; `nil` for anything else, and for members that do not fit the state.
    public init?(storedBytes: [UInt8]) {
        guard let json = try? StrictJSON.parse(storedBytes), let record = try? MPinRecord(stored: json),
            record.isConsistent
        else { return nil }
        self = record
    }

    private init(stored json: JSONValue) throws {
        var reader = try ObjectReader(json)
        _ = try reader.integer("version", in: 1...1)
        let name = try reader.string("state"), mpinId = try reader.string("mpinId")
        guard let state = MPinUser.State(rawValue: name), Self.bytes(ofMPinId: mpinId) != nil else {
            throw StorageFailure()
        }
        self.init(
            backend: try reader.string("backend"), userId: try reader.string("userId"),
            deviceName: try reader.optionalString("deviceName"), state: state, mpinId: mpinId)
        identityId = try reader.optionalUUID("identityId")
        regOTT = try reader.optionalString("regOTT")
        if let text = try reader.optionalString("token") {
            guard let bytes = Hex.decode(text) else { throw StorageFailure() }
            token = bytes
        }
        pinDigits = try reader.optionalInteger("digits", in: 4...8).map { Int($0) }
        if let text = try reader.optionalString("suite") {
            guard let known = MPinSuite(rawValue: text) else { throw StorageFailure() }
            suite = known
        }
        epoch = try reader.optionalInteger("epoch")
        try reader.finish()
    }

    /// Whether the record has exactly what its state needs.
    private var isConsistent: Bool {
        let isToken = token != nil && pinDigits != nil && suite != nil && epoch != nil
        let isNone = token == nil && pinDigits == nil && suite == nil && epoch == nil
        return switch state {
        case .invalid: false
        case .startedRegistration, .activated: regOTT != nil && (isToken || isNone)
        case .registered: regOTT == nil && isToken
        case .blocked: regOTT == nil && isNone
        }
    }

    /// The bytes of an M-Pin ID on the wire; `nil` if it is not 1 to 2,048 bytes of lower-case hex.
    static func bytes(ofMPinId text: String) -> [UInt8]? {
        guard (2...4_096).contains(text.utf8.count), !text.utf8.contains(where: { (65...90).contains($0) }) else {
            return nil
        }
        return Hex.decode(text)
    }

    /// The bytes of the M-Pin ID, which are hashed exactly as they are.
    var mpinIdBytes: [UInt8] { Self.bytes(ofMPinId: mpinId) ?? [] }
}
