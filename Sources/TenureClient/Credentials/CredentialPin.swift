import Canonical
import Credentials
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A device's memory of a credential that it has set or opened.
///
/// The client checks the pin before any evaluation. It detects a service that later shows other VOPRF keys, another
/// cost or another user key. An auditor can compare the record's hash with the log.
public struct CredentialPin: Sendable, Hashable {
    /// The tenant that the challenges name.
    public var tenant: UUID
    /// The id of the credential.
    public var credentialId: UUID
    /// The hash of the credential's record, 32 bytes.
    public var recordHash: [UInt8]
    /// The hash of the credential's opening context, 32 bytes.
    public var contextHash: [UInt8]

    /// Describes a pin.
    public init(tenant: UUID, credentialId: UUID, recordHash: [UInt8], contextHash: [UInt8]) {
        self.tenant = tenant
        self.credentialId = credentialId
        self.recordHash = recordHash
        self.contextHash = contextHash
    }
}

/// The account that a pin belongs to: the hash of service, tenant and employee in canonical form.
public struct PinnedAccount: Sendable, Hashable {
    /// The hash in 64 lower-case hexadecimal digits.
    public let name: String

    /// Identifies an account.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` for names that no service
    ///   accepts.
    public init(baseURL: String, company: String, employee: String) throws(TenureClientError) {
        let service = Array(SHA256.hash(data: Array(baseURL.utf8)))
        do {
            name = Hex.encode(
                try Commitment.subject(salt: service, companyName: company, companyEmployeeId: employee).bytes)
        } catch {
            throw TenureClientError(.signingRefused)
        }
    }
}

/// The tenant for which this device signs statements of an account.
struct PinnedCompany: Sendable {
    /// The pinned id; `nil` if this device has no pin of the account, as on first use.
    private let tenant: UUID?

    /// Reads the pin of an account.
    init(of account: AccountName, on client: TenureClient) async throws {
        tenant = try await client.pinStore.pin(
            of: try PinnedAccount(
                baseURL: client.baseURL, company: account.companyName, employee: account.companyEmployeeId))?.tenant
    }

    /// Whether a statement is for the pinned tenant and names this key as signer.
    func permits(_ context: StatementContext, signedBy key: EmployeePublicKey) -> Bool {
        context.signer.bytes == key.bytes && (tenant == nil || context.tenant == tenant)
    }
}

/// The credentials of an account differ from those that this device has pinned.
///
/// A change on another device has this effect, but so does a service that shows credentials of its own making. The
/// protocol cannot tell the two apart, so the person decides before anything is entered. Until ``accept()`` is called
/// the client evaluates and signs nothing, and submissions throw ``TenureClientError/Code/credentialsChanged``.
///
/// ```swift
/// if let changed = step.credentialsChanged {
///     guard person.recognizes(changed.readableFingerprint) else { return }
///     await changed.accept()
/// }
/// ```
public struct UnfamiliarCredentials: Sendable {
    private let flow: OpenFlow
    private let pin: CredentialPin

    init(_ pin: CredentialPin, flow: OpenFlow) {
        self.pin = pin
        self.flow = flow
    }

    /// The fingerprint of the shown credentials: 64 lower-case hex digits. On the device that made the change,
    /// ``TenureClient/credentialsFingerprint(companyName:companyEmployeeId:)`` returns the same value.
    public var fingerprint: String { pin.fingerprint }
    /// The fingerprint in groups of four digits.
    public var readableFingerprint: String { Fingerprint.readable(fingerprint) }

    /// Accepts exactly these credentials as the account's, for this flow. They are pinned once the secret has opened
    /// them; until then the old pin stays.
    public func accept() async { await flow.accept(pin) }
}

extension CredentialPin {
    /// The hash of the record: 64 lower-case hex digits.
    public var fingerprint: String { Hex.encode(recordHash) }

    /// Whether a change of credentials may have replaced this credential with another one.
    ///
    /// A change replaces everything but the tenant. The same credential with another record, key or cost is never the
    /// result of a change.
    func mayBeReplaced(by other: CredentialPin) -> Bool {
        tenant == other.tenant && credentialId != other.credentialId && recordHash != other.recordHash
            && contextHash != other.contextHash
    }
}

extension TenureClient {
    /// Returns the fingerprint of the pinned credentials of an account, to be compared with what another device shows.
    ///
    /// - Returns: The fingerprint; `nil` if this device has no pin, as in direct mode.
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` for names that no service
    ///   accepts, and the error of the pin store.
    public func credentialsFingerprint(companyName: String, companyEmployeeId: String) async throws -> String? {
        let account = try PinnedAccount(baseURL: baseURL, company: companyName, employee: companyEmployeeId)
        return try await pinStore.pin(of: account)?.fingerprint
    }

    /// Opens a flow after its key was proved, and reports whether the account's credentials differ from the pinned
    /// ones.
    func open(_ context: FlowContext) async throws -> (flow: OpenFlow, changed: UnfamiliarCredentials?) {
        let open = OpenFlow(context)
        let account = try PinnedAccount(
            baseURL: baseURL, company: context.account.companyName, employee: context.account.companyEmployeeId)
        guard mode != .direct, let shown = try? shownCredentials(context.flow, context.asked),
            let pinned = try await pinStore.pin(of: account), pinned.mayBeReplaced(by: shown)
        else { return (open, nil) }
        return (open, UnfamiliarCredentials(shown, flow: open))
    }
}

/// Stores this device's pins, one for each account.
public protocol PinStore: Sendable {
    /// Returns the pin of an account, or `nil` if there is none.
    ///
    /// - Throws: An error if the pin cannot be read. A pin that cannot be read is not a missing pin.
    func pin(of account: PinnedAccount) async throws -> CredentialPin?
    /// Stores a pin and replaces an existing one.
    ///
    /// - Throws: An error if the pin cannot be written.
    func keep(_ pin: CredentialPin, of account: PinnedAccount) async throws
    /// Removes a pin. The next credential that the service shows is then pinned without a question. To accept one
    /// specific credential instead of the pinned one, use ``UnfamiliarCredentials``.
    ///
    /// - Throws: An error if the pin cannot be removed.
    func forget(_ account: PinnedAccount) async throws
}

/// A pin store in memory, for tests and short-lived programs.
public actor MemoryPinStore: PinStore {
    private var pins: [PinnedAccount: CredentialPin] = [:]

    /// Creates an empty store.
    public init() {}

    /// Returns the pin of an account, or `nil` if there is none.
    public func pin(of account: PinnedAccount) -> CredentialPin? { pins[account] }

    /// Stores a pin.
    public func keep(_ pin: CredentialPin, of account: PinnedAccount) { pins[account] = pin }

    /// Removes a pin.
    public func forget(_ account: PinnedAccount) { pins[account] = nil }
}

/// A pin store with one file for each account that only its owner may read, like ``FileDeviceKeyStore``.
///
/// An unreadable file is an error, not a missing pin. Otherwise damaging a file would switch pinning off.
public struct FilePinStore: PinStore {
    private static let maximumBytes = 4_096
    private let directory: String

    /// Creates a store in the directory at `path`, `$XDG_DATA_HOME/tenure/pins` by default. The directory is created on
    /// first use.
    public init(path: String? = nil) { directory = path ?? DataDirectory.standard() + "/pins" }

    /// Returns the pin of an account, or `nil` if there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` if the file contains no pin, is
    ///   accessible to others, belongs to another user or is a link.
    public func pin(of account: PinnedAccount) async throws -> CredentialPin? {
        let path = path(of: account)
        return try await Self.guarded {
            try DeviceFile.read(path, maximumBytes: Self.maximumBytes)
                .map { try CredentialPin(json: CanonicalJSON.parse($0)) }
        }
    }

    /// Stores a pin. After a crash the file has either the old pin or the new one.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` if the file cannot be written.
    public func keep(_ pin: CredentialPin, of account: PinnedAccount) async throws {
        let path = path(of: account)
        try await Self.guarded { try DeviceFile.replace(path, pin.json.canonicalBytes()) }
    }

    /// Removes a pin.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/pinInvalid`` if the file cannot be removed.
    public func forget(_ account: PinnedAccount) async throws {
        let path = path(of: account)
        try await Self.guarded { try DeviceFile.remove(path) }
    }

    private func path(of account: PinnedAccount) -> String { directory + "/" + account.name + ".pin" }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.pinInvalid) }
    }
}

extension CredentialPin {
    var json: JSONValue {
        [
            "tenant": .uuid(tenant), "credential": .uuid(credentialId),
            "record": .string(Base64URL.encode(recordHash)), "context": .string(Base64URL.encode(contextHash)),
        ]
    }

    init(json: JSONValue) throws {
        var reader = try ObjectReader(json)
        self.init(
            tenant: try reader.uuid("tenant"), credentialId: try reader.uuid("credential"),
            recordHash: try reader.bytes("record"), contextHash: try reader.bytes("context"))
        try reader.finish()
    }
}
