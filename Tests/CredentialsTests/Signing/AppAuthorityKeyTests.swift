import Canonical
import Testing

@testable import Credentials

@Suite struct AppAuthorityKeyTests {
    @Test func `the key follows from secret and salt, and from both`() throws {
        let secret = Array(UInt8(0)..<32)
        let salt = Array(UInt8(100)..<116)
        let key = try AppAuthorityKey(appSecret: secret, appSalt: salt)
        #expect(try AppAuthorityKey(appSecret: secret, appSalt: salt).publicKey == key.publicKey)
        #expect(try AppAuthorityKey(appSecret: secret, appSalt: salt + [1]).publicKey != key.publicKey)
        #expect(try AppAuthorityKey(appSecret: secret + [0], appSalt: salt).publicKey != key.publicKey)
        // Pinned: the public half is in events.
        if !Vectors.isWriting {
            #expect(key.publicKey.bytes == (try Vectors.read("keys.hex"))["app.authority.public"])
        }
    }

    @Test func `short secrets and salts are refused`() {
        expect(.secretInvalid) {
            _ = try AppAuthorityKey(
                appSecret: [UInt8](repeating: 1, count: 15), appSalt: [UInt8](repeating: 1, count: 16))
        }
        expect(.secretInvalid) {
            _ = try AppAuthorityKey(
                appSecret: [UInt8](repeating: 1, count: 16), appSalt: [UInt8](repeating: 1, count: 7))
        }
    }

    @Test func `an app vouches with it and the statement verifies by the public half`() throws {
        let key = try AppAuthorityKey(appSecret: Array(0..<32), appSalt: Array(0..<16))
        let statement = try StatementTests.keyStatement(.authorize, signer: SignerPublicKey(key.publicKey))
        try statement.verify(key.sign(statement))
        let other = try AppAuthorityKey(appSecret: Array(1..<33), appSalt: Array(0..<16))
        expect(.signatureInvalid) { try statement.verify(other.sign(statement)) }
    }
}
