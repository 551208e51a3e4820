import Canonical
import Foundation
import MPinRequests
import PrivateFiles
import Testing

@testable import MPinAuthority

@Suite struct MPinIssuedIdentitiesTests {
    private let clock = SettableClock()

    @Test func `an issue that cannot be recorded gives no share, and known identities still get theirs`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey()
        let first = try authority.opened(clock) { $0.answer(Sample.request(), key) }
        let list = try authority.read("issued")
        // A file that is open for reading refuses every append, as a full disk does.
        let file = try PrivateFile(opening: authority.path("issued"), .secret)
        let issued = try MPinIssuedIdentities(file: file, path: authority.path("issued"))
        let keys = try MPinAuthorityKeys(
            opening: Array(try authority.read("authority.json")),
            under: try MPinKeyFile.read(authority.directory.keyFile),
            path: authority.path("authority.json"))
        let issuer = MPinKeyIssuer(keys: keys, issued: issued, now: { [clock] in clock.now })
        let other = Sample.request(.clientKey(mpinIDHash: Sample.hash.reversed()))
        for _ in 0..<2 {
            let refused = issuer.answer(other, key)
            #expect(refused.status == 503 && refused.isBare && refused.text("message") == "UNAVAILABLE")
        }
        #expect(issuer.answer(Sample.request(), key) == first)
        #expect(try authority.read("issued") == list)
        #expect(issued.count == 1)
    }

    @Test func `requests at once record an identity once`() async throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey()
        let issuer = try authority.directory.open(now: { [clock] in clock.now })
        let answers = await withTaskGroup(of: MPinAuthorityAnswer.self) { group in
            for number in 0..<40 {
                let hash = [UInt8](repeating: UInt8(number % 4 + 1), count: 32)
                group.addTask { issuer.answer(Sample.request(.clientKey(mpinIDHash: hash)), key) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 } && Set(answers.map(\.body)).count == 4)
        #expect(try authority.read("issued").split(separator: UInt8(ascii: "\n")).count == 4)
    }
}
