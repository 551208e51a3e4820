import Crypto

/// Secret bytes in storage that is overwritten when the last copy goes away.
///
/// `SymmetricKey` brings that storage; nothing here is a key by itself. Comparison takes the same time wherever the
/// bytes differ.
struct SecretBytes: Sendable, Equatable, Redacted {
    let key: SymmetricKey

    init(_ bytes: some Collection<UInt8>) { key = SymmetricKey(data: Array(bytes)) }

    init(_ key: SymmetricKey) { self.key = key }

    var count: Int { key.bitCount / 8 }

    /// A plain copy, for the moment of use only.
    var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }
}
