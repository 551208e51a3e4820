import Canonical
import Crypto
import Foundation
import Testing

@testable import AccessTokens

/// Tokens whose bytes were changed after the issuer signed them.
@Suite struct SignatureAttackTests {
    let tokens = Tokens()

    private func parts() throws -> (signed: String, signature: [UInt8]) {
        let token = try tokens.key.sign(tokens.claims)
        let parts = token.split(separator: ".")
        return ("\(parts[0]).\(parts[1])", try #require(Base64URL.decode(String(parts[2]))))
    }

    private func refusal(_ signed: String, _ signature: [UInt8]) -> AccessTokenError.Code? {
        tokens.refusal(of: signed + "." + Base64URL.encode(signature))
    }

    @Test func `a signature of another length is refused`() throws {
        let (signed, signature) = try parts()
        #expect(refusal(signed, signature) == nil)
        for changed in [
            [], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0], [0] + signature,
            signature + signature, Array(signature.prefix(32)),
        ] {
            #expect(refusal(signed, changed) == .signature)
        }
    }

    @Test func `a signature in DER is refused`() throws {
        let (signed, signature) = try parts()
        let der = try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation
        #expect(refusal(signed, Array(der)) == .signature)
    }

    @Test func `a signature with r or s of zero or of the order and above is refused`() throws {
        let (signed, signature) = try parts()
        let (r, s) = (Array(signature.prefix(32)), Array(signature.suffix(32)))
        let zero = [UInt8](repeating: 0, count: 32), ones = [UInt8](repeating: 0xFF, count: 32)
        for changed in [zero + zero, r + zero, zero + s, Self.order + s, r + Self.order, ones + ones] {
            #expect(refusal(signed, changed) == .signature)
        }
    }

    @Test func `both s of a signature verify, so the text of a token is no identifier`() throws {
        let (signed, signature) = try parts()
        var (other, borrow) = (Array(signature.prefix(32)) + [UInt8](repeating: 0, count: 32), 0)
        for index in (0..<32).reversed() {
            let difference = Int(Self.order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            other[32 + index] = UInt8(difference + 256 * borrow)
        }
        #expect(other != signature)
        #expect(refusal(signed, other) == nil)
    }

    @Test func `every changed bit of a token is noticed`() throws {
        let token = Array(try tokens.key.sign(tokens.claims).utf8)
        for index in stride(from: 0, to: token.count, by: 3) {
            var changed = token
            changed[index] ^= 1 << (index % 7)
            #expect(tokens.refusal(of: String(decoding: changed, as: UTF8.self)) != nil, "byte \(index)")
        }
    }

    @Test func `claims under another token's signature are refused`() throws {
        let (signed, signature) = try parts()
        let admin = try tokens.token(claims: ["role": "admin"]).split(separator: ".")
        #expect(refusal("\(admin[0]).\(admin[1])", signature) == .signature)
        #expect(refusal(signed, try tokens.signature(of: "\(admin[0]).\(admin[1])")) == .signature)
        #expect(refusal(signed, try tokens.signature(of: String(admin[1]))) == .signature)
    }

    @Test func `a token has three parts`() throws {
        let token = try tokens.key.sign(tokens.claims)
        let (signed, _) = try parts()
        for changed in [
            "", ".", "..", "...", signed, token + ".", "." + token, token + ".AA", token + "." + token,
            token.replacing(".", with: ""), "eyJ", " ", "{}",
        ] {
            #expect(tokens.refusal(of: changed) != nil, "\(changed)")
        }
        #expect(tokens.refusal(of: signed) == .malformed)
        #expect(tokens.refusal(of: token + ".") == .malformed)
        #expect(tokens.refusal(of: token + ".AA.AA") == .malformed)
    }

    @Test func `every part has one spelling`() throws {
        let token = try tokens.key.sign(tokens.claims)
        for changed in [
            token + "=", token + "==", token + "\n", " " + token, token + " ", "Bearer " + token,
            token.replacing(".", with: "=."), token.replacing(".", with: "\u{FF0E}"), token + "\u{0}",
            "\u{FEFF}" + token, token + "+", token + "/",
        ] {
            #expect(tokens.refusal(of: changed) == .malformed)
        }
        // 64 bytes leave four unused bits in the last digit. They are zero.
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(token.last.flatMap { digits.firstIndex(of: $0) })
        #expect(last % 16 == 0)
        for bits in 1..<16 {
            #expect(tokens.refusal(of: token.dropLast() + String(digits[last + bits])) == .malformed)
        }
    }

    @Test func `a token of more than 4096 bytes is refused before it is read`() throws {
        let short = try tokens.token(claims: ["pad": ""]).utf8.count
        let pad = (4_096 - short) * 3 / 4
        let longest = try tokens.token(claims: ["pad": .string(String(repeating: "a", count: pad - 2))])
        #expect((4_090...4_096).contains(longest.utf8.count))
        #expect(tokens.refusal(of: longest) == nil)
        let longer = try tokens.token(claims: ["pad": .string(String(repeating: "a", count: pad + 4))])
        #expect(longer.utf8.count > 4_096)
        #expect(tokens.refusal(of: longer) == .malformed)
        #expect(tokens.refusal(of: String(repeating: ".", count: 1_000_000)) == .malformed)
    }

    /// The order of P-256 (SP 800-186 §3.2.1.3).
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}
