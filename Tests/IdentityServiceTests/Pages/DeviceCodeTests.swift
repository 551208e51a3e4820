import Canonical
import Foundation
import Identity
import Keys
import Testing

@testable import IdentityService

/// The code that the page behind a mailed link shows.
@Suite struct DeviceCodeTests {
    private let ring = KeyRing.random()
    private let row = BrowserWaitRow(
        tenant: UUID(), flow: UUID(), digest: [], employee: UUID(), fingerprint: [UInt8](repeating: 7, count: 32),
        credential: UUID(), app: UUID(), methods: "pop", provedAt: .earliest, request: nil, origin: [],
        expiresAt: .latest)
    private let mail = BrowserWaitRow.Mail(
        id: UUID(), until: Timestamp(microseconds: 1_800_000_000_000_000), address: 7)

    @Test func `has eight characters that do not look alike`() {
        let code = TypedCode(of: row, mail, ring).shown
        #expect(code.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}/) != nil, "\(code)")
    }

    @Test func `is accepted however it is typed`() {
        let code = TypedCode(of: row, mail, ring), plain = code.shown.replacing("-", with: "")
        let spellings = [
            code.shown, plain, plain.lowercased(), "  \(plain.prefix(2)) \(plain.dropFirst(2))  ",
            plain.replacing("0", with: "o").replacing("1", with: "l"), plain.replacing("1", with: "I"),
        ]
        for typed in spellings { #expect(code.matches(typed), "\(typed)") }
        for typed in ["", "-", String(plain.dropLast()), plain + "0", "\u{0}" + plain, "ÄÖÜ", plain + "é"] {
            #expect(!code.matches(typed), "\(typed)")
        }
    }

    @Test func `belongs to one wait, one key and one mail`() {
        let code = TypedCode(of: row, mail, ring).shown
        var others: [(BrowserWaitRow, BrowserWaitRow.Mail)] = []
        var flow = row, key = row, other = mail, later = mail
        flow.flow = UUID()
        key.fingerprint = [UInt8](repeating: 8, count: 32)
        other.id = UUID()
        later.until = later.until.adding(.seconds(1))
        others = [(flow, mail), (key, mail), (row, other), (row, later)]
        for (row, mail) in others { #expect(!TypedCode(of: row, mail, ring).matches(code)) }
        #expect(!TypedCode(of: row, mail, KeyRing.random()).matches(code))
    }

    @Test func `a cookie opens its own request only`() throws {
        let cookie = WaitCookie(tenant: .init(UUID()), id: .init(UUID()))
        let sealed = try cookie.seal("handle", ring)
        #expect(try #require(WaitCookie(cookie.text)).open(sealed, ring) == "handle")
        let other = WaitCookie(tenant: cookie.tenant, id: cookie.id)
        #expect(other.open(sealed, ring) == nil && other.digest(ring) != cookie.digest(ring))
        for text in ["", "x", cookie.text + "A", String(cookie.text.dropLast(2))] { #expect(WaitCookie(text) == nil) }
    }

    @Test func `the origin of a wait is short, and opens for its flow only`() throws {
        let origin = WaitOrigin(network: "192.0.2.7", device: String(repeating: "x", count: 1_000))
        var row = row
        row.origin = try origin.sealed(for: row.flow, ring)
        let short = WaitOrigin(network: "192.0.2.7", device: String(repeating: "x", count: 100))
        #expect(WaitOrigin.of(row, ring) == short)
        row.flow = UUID()
        #expect(WaitOrigin.of(row, ring) == WaitOrigin(network: "", device: ""))
    }
}
