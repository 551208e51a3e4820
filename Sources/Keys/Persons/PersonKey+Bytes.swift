import Crypto

extension PersonKey {
    /// Seals bytes that are not a value of an event, such as a question's text with its salt.
    ///
    /// AES-256-GCM with a random nonce: nonce (12) ‖ cipher text ‖ tag (16), 28 bytes longer than the clear bytes. The
    /// associated data is `tenure/v1/sealed-bytes`, a newline, and the caller's; no place of an event begins like
    /// that, because those bytes are no id of a ledger.
    public func seal(bytes clear: [UInt8], authenticating data: [UInt8]) throws(KeysError) -> [UInt8] {
        try seal(bytes: clear, authenticating: data, nonce: AES.GCM.Nonce())
    }

    func seal(
        bytes clear: [UInt8], authenticating data: [UInt8], nonce: AES.GCM.Nonce
    ) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: key.symmetric, authenticating: Self.tagged(data), nonce: nonce)
    }

    /// Opens what ``seal(bytes:authenticating:)`` sealed.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid``.
    public func open(bytes sealed: [UInt8], authenticating data: [UInt8]) throws(KeysError) -> [UInt8] {
        guard let clear = SealedBytes.open(sealed, under: key.symmetric, authenticating: Self.tagged(data)) else {
            throw KeysError(code: .sealInvalid, reason: "sealed bytes do not open")
        }
        return clear
    }

    private static func tagged(_ data: [UInt8]) -> [UInt8] { Array("tenure/v1/sealed-bytes\n".utf8) + data }
}
