import Canonical
import Crypto
import Foundation
import Testing

@testable import Credentials

/// What is refused of creations and assertions although it is signed by the right key.
@Suite struct `Bad input of passkeys` {
    private static let rpID = "example.com", origin = "https://example.com"
    private let message = Array("message".utf8), key = P256.Signing.PrivateKey()

    private var publicKey: EmployeePublicKey { EmployeePublicKey(validated: CheckedKey(key.publicKey)) }
    private var challenge: String { Base64URL.encode(Array(SHA256.hash(data: message))) }

    /// Authenticator data of the site.
    private static func authenticator(_ flags: UInt8, _ rest: [UInt8] = []) -> [UInt8] {
        Array(SHA256.hash(data: Array(rpID.utf8))) + [flags, 0, 0, 0, 0] + rest
    }

    /// Client data over the message; `$C` stands for its challenge.
    private func client(_ text: String) -> [UInt8] { Array(text.replacing("$C", with: challenge).utf8) }

    private static let usual = #"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com"}"#

    /// The evidence of the key, signed whatever it says.
    private func evidence(_ authenticator: [UInt8], _ client: [UInt8], algorithm: UInt8 = 1) throws -> [UInt8] {
        let signature = try key.signature(for: authenticator + Array(SHA256.hash(data: client)))
        return Self.evidence(authenticator, client, Array(signature.rawRepresentation), algorithm: algorithm)
    }

    private static func evidence(
        _ authenticator: [UInt8], _ client: [UInt8], _ signature: [UInt8], algorithm: UInt8
    ) -> [UInt8] {
        func framed(_ part: [UInt8]) -> [UInt8] { [UInt8(part.count >> 8), UInt8(part.count & 255)] + part }
        return [2, algorithm] + framed(authenticator) + framed(client) + signature
    }

    /// Judges evidence as the service does, from its bytes on.
    private func judge(_ bytes: [UInt8], by other: EmployeePublicKey? = nil) throws {
        let evidence: DeviceEvidence = try KeyProof.verify(bytes, over: message, by: other ?? publicKey)
        #expect(evidence.bytes == bytes)
        try evidence.check(
            PasskeyIdentity(rpID: Self.rpID, credentialID: [1], isBackupEligible: false), origins: [Self.origin])
    }

    private func expectRefusal(
        _ error: CredentialsError, _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        #expect(throws: error, "\(comment)", sourceLocation: sourceLocation, performing: body)
    }

    // MARK: Client data

    @Test(arguments: [
        usual, #"{"origin":"https://example.com","challenge":"$C","type":"webauthn.get"}"#,
        #"{"crossOrigin":false,"x":{"origin":"https://evil.example"},"challenge":"$C","origin":"https://example.com","#
            + #""y":[1,"topOrigin"],"type":"webauthn.get"}"#,
        "{ \"type\" : \"webauthn.get\" ,\n\"challenge\":\"$C\",\"origin\":\"https://example.com\" }",
    ])
    func `client data in another order, with unknown members and spaces is accepted`(text: String) throws {
        try judge(try evidence(Self.authenticator(0x05), client(text)))
    }

    @Test(
        arguments: [
            (
                #"{"type":"webauthn.get","type":"webauthn.get","challenge":"$C","origin":"https://example.com"}"#,
                "clientData"
            ),
            (
                #"{"type":"webauthn.create","challenge":"$C","origin":"https://example.com","type":"webauthn.get"}"#,
                "clientData"
            ),
            (
                #"{"type":"webauthn.get","challenge":"$C","challenge":"$C","origin":"https://example.com"}"#,
                "clientData"
            ),
            (
                #"{"type":"webauthn.get","challenge":"$C","origin":"https://evil.example","origin":"https://example.com"}"#,
                "clientData"
            ),
            (#"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com","x":1,"x":1}"#, "clientData"),
            (
                #"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com","crossOrigin":false,"#
                    + #""crossOrigin":false}"#, "clientData"
            ),
            (#"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com"}{}"#, "clientData"),
            ("\u{FEFF}" + usual, "clientData"), ("[" + usual + "]", "clientData"), ("", "clientData"),
            (
                #"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com","crossOrigin":true}"#,
                "crossOrigin"
            ),
            (
                #"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com","crossOrigin":null}"#,
                "crossOrigin"
            ),
            (
                #"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com","crossOrigin":0}"#,
                "crossOrigin"
            ),
            (#"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com","topOrigin":null}"#, "topOrigin"),
            (
                #"{"type":"webauthn.get","challenge":"$C","origin":"https://example.com","crossOrigin":false,"#
                    + #""topOrigin":"https://example.com"}"#, "topOrigin"
            ),
            (#"{"type":"webauthn.create","challenge":"$C","origin":"https://example.com"}"#, "type"),
            (#"{"type":"payment.get","challenge":"$C","origin":"https://example.com"}"#, "type"),
            (#"{"type":"WebAuthn.Get","challenge":"$C","origin":"https://example.com"}"#, "type"),
            (#"{"type":["webauthn.get"],"challenge":"$C","origin":"https://example.com"}"#, "type"),
            (#"{"challenge":"$C","origin":"https://example.com"}"#, "type"),
            (#"{"type":"webauthn.get","challenge":"$C=","origin":"https://example.com"}"#, "challenge"),
            (#"{"type":"webauthn.get","challenge":"$CA","origin":"https://example.com"}"#, "challenge"),
            (#"{"type":"webauthn.get","challenge":"","origin":"https://example.com"}"#, "challenge"),
            (#"{"type":"webauthn.get","challenge":"$C"}"#, "origin"),
            (#"{"type":"webauthn.get","challenge":"$C","origin":null}"#, "origin"),
        ] as [(String, String)])
    func `client data that says something else is refused by its member`(text: String, field: String) throws {
        let bytes = try evidence(Self.authenticator(0x05), client(text))
        expectRefusal(CredentialsError(.evidenceInvalid, field: field), text) { try judge(bytes) }
    }

    @Test func `client data longer than 2,048 bytes, or none in UTF-8, is refused`() throws {
        func padded(_ byteCount: Int) -> [UInt8] {
            let start = client(String(Self.usual.dropLast()) + #","x":""#)
            return start + [UInt8](repeating: 0x61, count: byteCount - start.count - 2) + Array(#""}"#.utf8)
        }
        try judge(try evidence(Self.authenticator(0x05), padded(2_048)))
        let long = try evidence(Self.authenticator(0x05), padded(2_049))
        expectRefusal(CredentialsError(.evidenceInvalid, field: "clientData")) { try judge(long) }
        var spoilt = padded(300)
        spoilt[290] = 0xff
        let bytes = try evidence(Self.authenticator(0x05), spoilt)
        expectRefusal(CredentialsError(.evidenceInvalid, field: "clientData")) { try judge(bytes) }
    }

    // MARK: Authenticator data

    @Test(
        arguments: [
            (0x04, [], "userPresent"), (0x01, [], "userVerified"), (0x00, [], "userPresent"), (0x15, [], "backedUp"),
            (0x0d, [], "backupEligible"), (0x1d, [], "backupEligible"), (0x85, [], "extensions"),
            (0x05, [0xa0], "extensions"),
        ] as [(UInt8, [UInt8], String)])
    func `flags and extension bytes that are wrong are refused by their name`(
        flags: UInt8, rest: [UInt8], field: String
    ) throws {
        let bytes = try evidence(Self.authenticator(flags, rest), client(Self.usual))
        expectRefusal(CredentialsError(.evidenceInvalid, field: field)) { try judge(bytes) }
    }

    @Test func `extension bytes are signed, and kept as they are`() throws {
        let protected: [UInt8] = [0xa1, 0x6b] + Array("credProtect".utf8) + [0x02]
        for rest in [protected, [0xff], [UInt8](repeating: 0, count: 987)] {
            let bytes = try evidence(Self.authenticator(0x85, rest), client(Self.usual))
            try judge(bytes)
            var changed = bytes
            changed[4 + 37] ^= 1
            expectRefusal(CredentialsError(.signatureInvalid)) { try judge(changed) }
        }
    }

    @Test func `another key, another algorithm and a bare signature are refused`() throws {
        let other = EmployeePublicKey(validated: CheckedKey(P256.Signing.PrivateKey().publicKey))
        let bytes = try evidence(Self.authenticator(0x05), client(Self.usual))
        expectRefusal(CredentialsError(.signatureInvalid)) { try judge(bytes, by: other) }
        let modulus = try EmployeePublicKey(bytes: try Self.bytes(Self.threeModulus))
        expectRefusal(CredentialsError(.signatureInvalid)) { try judge(bytes, by: modulus) }
        let named = Self.evidence(
            Self.authenticator(0x05), client(Self.usual), [UInt8](repeating: 1, count: 256), algorithm: 2)
        expectRefusal(CredentialsError(.signatureInvalid)) { try judge(named) }
        for algorithm: UInt8 in [0, 2, 3] {
            let bytes = try evidence(Self.authenticator(0x05), client(Self.usual), algorithm: algorithm)
            #expect(throws: CredentialsError.self) { try judge(bytes) }
        }
        let raw = Array(try key.signature(for: message).rawRepresentation)
        expectRefusal(CredentialsError(.evidenceKind)) { try judge(raw) }
    }

    // MARK: A statement

    @Test func `an assertion decides nothing but the statement that it names`() throws {
        let signer = StatementKey(validated: CheckedKey(key.publicKey))
        let statement = try StatementTests.keyStatement(.authorize, signer: signer)
        var another = statement
        another.context.nonce[0] ^= 1
        let client = client(
            Self.usual.replacing("$C", with: Base64URL.encode(Array(SHA256.hash(data: statement.bytes)))))
        let signed = try evidence(Self.authenticator(0x05), client)
        #expect(try statement.verify(proof: signed).bytes == signed)
        for other in [another, try StatementTests.keyStatement(.revoke, signer: signer)] {
            expectRefusal(CredentialsError(.evidenceInvalid, field: "challenge")) {
                _ = try other.verify(proof: signed)
            }
        }
    }

    // MARK: Creations

    private var cose: [UInt8] {
        [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20] + publicKey.bytes[1..<33] + [0x22, 0x58, 0x20]
            + publicKey.bytes[33...]
    }

    private static func attested(_ cose: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 16) + [0, 4, 1, 2, 3, 4] + cose
    }

    /// Judges a creation as the service does.
    private func judge(creation authenticator: [UInt8], _ text: String) throws {
        let creation = try PasskeyCreation(
            authenticatorData: authenticator, clientDataJSON: client(text),
            publicKey: Array(key.publicKey.derRepresentation))
        try creation.check(
            challenge: Array(SHA256.hash(data: message)), rpID: Self.rpID, origins: [Self.origin])
    }

    @Test func `a creation has the site's origin, its own type, and somebody verified`() throws {
        let usual = Self.usual.replacing("webauthn.get", with: "webauthn.create")
        let right = Self.authenticator(0x45, Self.attested(cose))
        try judge(creation: right, usual)
        try judge(creation: Self.authenticator(0xc5, Self.attested(cose) + [0xa0]), usual)
        for (flags, field) in [(0x44, "userPresent"), (0x41, "userVerified"), (0x55, "backedUp")] as [(UInt8, String)] {
            expectRefusal(CredentialsError(.evidenceInvalid, field: field)) {
                try judge(creation: Self.authenticator(flags, Self.attested(cose)), usual)
            }
        }
        expectRefusal(CredentialsError(.evidenceInvalid, field: "type")) { try judge(creation: right, Self.usual) }
        for origin in ["https://badexample.com", "https://example.com:444", "http://example.com"] {
            expectRefusal(CredentialsError(.originUnknown), origin) {
                try judge(creation: right, usual.replacing("https://example.com", with: origin))
            }
        }
        for (member, field) in [("crossOrigin", "crossOrigin"), ("topOrigin", "topOrigin"), ("type", "clientData")] {
            expectRefusal(CredentialsError(.evidenceInvalid, field: field)) {
                try judge(creation: right, usual.dropLast() + #","\#(member)":true}"#)
            }
        }
        let foreign = Array(SHA256.hash(data: Array("badexample.com".utf8))) + right[32...]
        expectRefusal(CredentialsError(.evidenceInvalid, field: "rpId")) { try judge(creation: foreign, usual) }
    }

    // MARK: RSA keys

    /// Keys of other programs, in base64, with their signatures over the usual assertion: of 1,024 and 4,096 bits, and
    /// of 2,048 with the exponent 3.
    @Test(arguments: [
        (smallModulus, smallSignature), (largeModulus, largeSignature), (threeModulus, threeSignature),
    ])
    func `an assertion that is valid under another kind of RSA key is refused`(
        modulus: String, signature: String
    ) throws {
        let modulus = try Self.bytes(modulus), signature = try Self.bytes(signature)
        let authenticator = Self.authenticator(0x05), client = client(Self.usual)
        let evidence = Self.evidence(authenticator, client, signature, algorithm: 2)
        if modulus.count == 256 {
            // The bytes are those of a key with the exponent 65537, under which nothing of this verifies.
            let key = try EmployeePublicKey(bytes: modulus)
            expectRefusal(CredentialsError(.signatureInvalid)) { try judge(evidence, by: key) }
        } else {
            expectRefusal(CredentialsError(.keyInvalid)) { _ = try EmployeePublicKey(bytes: modulus) }
            expectRefusal(CredentialsError(.keyInvalid)) { _ = try EmployeePublicKey(kept: modulus) }
            expectRefusal(CredentialsError(.evidenceInvalid)) { _ = try DeviceEvidence(bytes: evidence) }
            expectRefusal(CredentialsError(.signatureInvalid)) {
                _ = try PasskeyAssertion(
                    algorithm: .rs256, authenticatorData: authenticator, clientDataJSON: client, signature: signature)
            }
        }
        let exponent: [UInt8] = modulus.count == 256 ? [0x41, 3] : [0x43, 1, 0, 1]
        let length: [UInt8] =
            modulus.count < 256
            ? [0x58, UInt8(modulus.count)] : [0x59, UInt8(modulus.count >> 8), UInt8(modulus.count & 255)]
        let cose = [0xa4, 1, 3, 3, 0x39, 1, 0, 0x20] + length + modulus + [0x21] + exponent
        expectRefusal(CredentialsError(.keyInvalid)) {
            _ = try AuthenticatorData(bytes: Self.authenticator(0x45, Self.attested(cose)))
        }
    }

    @Test func `an even modulus, and one without its first bit, is no key, kept or not`() throws {
        let modulus = try Self.bytes(Self.threeModulus)
        for (place, bit) in [(255, 0x01), (0, 0x80)] as [(Int, UInt8)] {
            var wrong = modulus
            wrong[place] ^= bit
            expectRefusal(CredentialsError(.keyInvalid)) { _ = try EmployeePublicKey(bytes: wrong) }
            expectRefusal(CredentialsError(.keyInvalid)) { _ = try EmployeePublicKey(kept: wrong) }
            let cose = [0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59, 1, 0] + wrong + [0x21, 0x43, 1, 0, 1]
            expectRefusal(CredentialsError(.keyInvalid)) {
                _ = try AuthenticatorData(bytes: Self.authenticator(0x45, Self.attested(cose)))
            }
        }
    }

    private static func bytes(_ base64: String) throws -> [UInt8] { try #require(Base64.decode(base64)) }

    private static let smallModulus = """
        wiXSXqwgeFi0yPt0VNpsd02eZsdvBRQDBcEEafuuCfVek0LpOi2/i0z8k8YEJCHCovbpVi/y9zteu9M/uMziy0P+cgEBRIewdjQxNeYZNzH7\
        wXG2sHh9VPDDhXIs0sjYDGVol40ApqktsLBlDj+Gd3ATpSoQTzJw6kd4JLW5MP8=
        """
    private static let smallSignature = """
        phCLw+uFa58BEA6O6KO5olT+hoh5A9vzKJcXtJPwMdqFC0XDP+IsEEiGULc9Nh8u8yoS1TrKQiVrFMris2J0ik/dAkq2PmAXLMg0oRTy7Wbo\
        1WwCx/fTFdfTAGzyD4u6whHVn8ycwA1Acp3Ch9pUQeLtrW8z6uJIeSZtHG/svsQ=
        """
    private static let largeModulus = """
        3B40xys8xTFkmvQ9Et4fmgwA8RshkH/55FmrbBi0JQrgx7sPNdStHJpNfMvBAtjklvb5yHCzD81lyg7Hd5+XKLcp3CIRC4+6qEAyJKcv1Bgl\
        Ipewhqkd8Gn8zsxMDERBark+APm/EGdbsdzQAKlXulufz6Es/uO49qBsLsqWYlElCufkoi5s6Ohje+8kCxdTtKTVzmqRtQMGn07o6pTcjvMr\
        wuWkT2ksKTA5gdYW9k693KUWHFUBlDzkrtV5B+jMV9JlZWhZpLvC/NAErqw+MpA49pfofziwjSYws0JCaI8UIduHmuWtv1qVqwk5QYSc5pfq\
        iGQGdXsNA7Vxbv+88mHQiPsce1rgnrdurkNwLUoN7yIf6rRN4WaR1ku+unjd5oPo03PU2ulfRk5fH6LlcLdED3mVE6dZlphRZ5GbaUtqOR3P\
        aKuglR561eRamB7wFNwX5BID7gaSlQ928MJ+Zi0GCNsyWIkGV8SwuabBRLpYTEJMalS+/N+cLwLVfmZnl8cJ1vdlJNjDouXVOpRBFHu/ZcUG\
        tBHmK+GRmDDA4e/AQIsmNYnmuFHPyl3lNsJv/CKU+SKDjeXYa1WuTwtWnxgP1tjOGrWwKxWDKtfwgRMUUMlCeuHpyWj/TT86OJjwp7btoZZ/\
        oFz3oTPWsE5tAxV/F6bvtnl6pCbLVtY0Hqc=
        """
    private static let largeSignature = """
        eXq62Q21wx4vw5FBSSU/t//tc6ZwEW+p2eIg+FuYZUIYuP2QcqXl1TQ4gru9RIrks0VWJJSiIguq9UAer0x9fiDPg8VGAFjOt0ijIuxxgGx/\
        PxuWa64Z84CyexO0u5J11ysVOnIQ7N5yy3CgDWvdVCCfqj9Dm3AG7BW/of0+o5inVFg8SYkk6XnOkLNfkzMXk5rFpeQpfLohUiSu2KroFW/N\
        sxnzqUr2lpwafiAnm6dDpZCE1NiBaJmNXhGM33T/YTyiZdoCffiCdPdqGA/lNxUDjkScv41BmK0Yze0OcPFTBfPZdfwZH5yJySoLjQJS1lLD\
        Wvt4ID6LDLyC4s84ajmvtNNyvw2myEZ/PCW1ynhHtsGDyqRDdUZIqpwge2NRRfmFSBxyc8YwJCclfg8Dt/sZSrNR8S1fRz7jdSo+85bfsUN0\
        fK0EItw8BkGMAdekmiY/et8NogF4TT25hs/B7WMIAVzY+xOIhqXmRvLhbCcvJSPhAW739nDRsQZyNUNQbZGRP+sxtWKOn3u3AbAwILN/qzdg\
        kx7wvLlNe4hyNp3SLcn5Is5/R0p1nqWEJAeNTau5ij7i7IDov5AniQkuw0L687J+EchlzxQR5AeDLfuc4fp/6IYeeFwGP93DS1xKh31nuI9U\
        hMzPomAMvdWMvGRmns1X16EbmrMb6nDiclA=
        """
    private static let threeModulus = """
        oAy5W3jukwMyzImHOCLSa7/BkNcHiS5Yx1BAu3PRa9qGoB1MD9Xmvlu9T5cEiuuV6XAp1yQAkVVlmIQqDFi4Cmud8ZQDjHLGdM355Vgsj4Cz\
        M8HJxAehpj3n+7tR4Up/a6dDnrUxtGr0/v/nvunZQB8/zP4adxEGxGG+rQj0ZgiPm9k5lDWgI6UOJ9qnNNSUs3zhxA+zUnba9QvA1EAQMtfK\
        otqhqCvttra4Bt+SnvxubFDy60zpxlHfsPdQBrADLeJf1nt9sKsRE45/85WUoGQdeAFUrRBh82OfLNHmYQduAjRKbF7DmoMzL03K/wmdG24A\
        Z6LdfFR2Hh+uy8gtnw==
        """
    private static let threeSignature = """
        ZyFGlCFsSwfdecGYoSHjzq/MkzTP2zR5qynSFK4BTmO6cSfuI0Pyy7iIQcEFhWeiQL1/znTAK0kFv1VmZyqI3xWEBCvT66bMqBJ1hZHql/2f\
        QborzzFlHlEExrot/ehjGEpVjMNE8gY85OOYl8uoNkHak5JT7cu98AHfeTwbxta5ObHJ0uFZNyWvUucGXnSMor7pNpEGfbsqpKhXBxgKT5Ul\
        Eyyh5QgrNL5PbP357p8W7fnhx6KDvDOeYrPXg5SqsiuajAG1TiCQZd7u1wIAK85fmZNGeZDfTzKaFYtlRM5zIORm5namqcFPbDWqYzx2n6o6\
        4naiZOoWxoTkX7v91g==
        """
}
