import Canonical
import Credentials
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a device remembers of a credential after it was set or opened there.
///
/// A service that shows other VOPRF keys, another cost or another user key later is found out before anything is
/// evaluated. The record's hash is what an auditor compares with the log.
public struct CredentialPin: Sendable, Hashable {
    /// The tenant that challenges name.
    public var tenant: UUID
    /// The credential.
    public var credentialId: UUID
    /// The hash of its record, 32 bytes.
    public var recordHash: [UInt8]
    /// The hash of its opening context, 32 bytes.
    public var contextHash: [UInt8]

    /// Describes a pin.
    public init(tenant: UUID, credentialId: UUID, recordHash: [UInt8], contextHash: [UInt8]) {
        self.tenant = tenant
        self.credentialId = credentialId
        self.recordHash = recordHash
        self.contextHash = contextHash
    }
}

/// The account that a pin belongs to: a service, a company and an employee, hashed in their canonical forms.
public struct PinnedAccount: Sendable, Hashable {
    /// 64 lower-case hexadecimal digits.
    public let name: String

    /// Names an account.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` for names that no service accepts.
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
