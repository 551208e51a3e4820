import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension KeyRing {
    /// The 32 bytes by which a claim of a name, an address or an id is found.
    ///
    /// HMAC-SHA-256 under the lookup key over the length-prefixed list (four bytes, big endian, before every part) of
    /// `tenure/v1/lookup`, the kind, the 16 bytes of the scope or nothing, and the canonical text. Permanent.
    ///
    /// - Parameters:
    ///   - kind: What is claimed, such as `company` or `email`.
    ///   - canonical: The canonical text as UTF-8.
    ///   - scope: The tenant within which the text is unique, if it is unique within one only. With it, one text has
    ///     unrelated digests in two tenants, and the table does not tell that they share it.
    public func lookupDigest(kind: String, _ canonical: [UInt8], scope: UUID? = nil) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/lookup")
        message.append(kind)
        message.append(scope?.bytes ?? [])
        message.append(canonical)
        return authenticationCode(message.bytes, .lookup)
    }

    /// The id of the tenant of a company, which is also the id of its ledger.
    ///
    /// The first 16 bytes of HMAC-SHA-256 under the lookup key over `tenure/v1/tenant` ‖ canonical name, with the bits
    /// of version 8 and of the variant set (RFC 9562 §5.8), so that any reader takes it for a UUID. Two founders that
    /// race name the same ledger. Permanent.
    public func tenantID(companyName canonical: [UInt8]) -> UUID {
        var b = authenticationCode(Array("tenure/v1/tenant".utf8) + canonical, .lookup)
        b[6] = b[6] & 0x0F | 0x80
        b[8] = b[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}
