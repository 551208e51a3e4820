import Canonical
import Crypto
import Foundation
import MPinCryptography
import MPinRequests
import Testing

@testable import MPinAuthority

@Suite struct MPinAuthorityDirectoryTests {
    private let clock = SettableClock()

    private func code(_ authority: TemporaryAuthority, keyFile: String? = nil) -> MPinAuthorityError.Code? {
        error(authority, keyFile: keyFile)?.code
    }

    private func error(_ authority: TemporaryAuthority, keyFile: String? = nil) -> MPinAuthorityError? {
        do throws(MPinAuthorityError) {
            _ = try MPinAuthorityDirectory(path: authority.directory.path, keyFile: keyFile).open()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a new D-TA has a private directory with four private files`() throws {
        let authority = try TemporaryAuthority()
        let names = try FileManager.default.contentsOfDirectory(atPath: authority.directory.path)
        #expect(names.sorted() == ["authority.json", "issued", "sealing.key", "signing.key"])
        for name in names { #expect(try authority.mode(name) == 0o600, "\(name)") }
        #expect(try authority.mode("") == 0o700)
        #expect(error(authority) == nil)
    }

    @Test func `creation overwrites nothing`() throws {
        let authority = try TemporaryAuthority()
        let names = ["authority.json", "issued", "sealing.key", "signing.key"]
        let before = try names.map { try authority.read($0) }
        let error = #expect(throws: MPinAuthorityError.self) { try authority.directory.create() }
        #expect(error?.code == .exists && error?.remedy != nil)
        #expect(try names.map { try authority.read($0) } == before)
    }

    @Test func `an interrupted creation is completed with the keys that exist`() throws {
        let authority = try TemporaryAuthority()
        let sealing = try authority.read("sealing.key"), old = try authority.read("authority.json")
        try FileManager.default.removeItem(atPath: authority.path("authority.json"))
        try authority.directory.create()
        #expect(try authority.read("sealing.key") == sealing)
        #expect(try authority.read("authority.json") != old)
        #expect(error(authority) == nil)
    }

    @Test func `keys may lie in files of their own`() throws {
        let authority = try TemporaryAuthority(creates: false)
        let sealing = authority.parent + "/sealing", signing = authority.parent + "/signing"
        let directory = MPinAuthorityDirectory(path: authority.directory.path, keyFile: sealing)
        #expect(try directory.create(signingKeyFile: signing) == signing)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.sorted() == ["authority.json", "issued"])
        let issuer = try directory.open(now: { [clock] in clock.now })
        #expect(issuer.answer(Sample.request(), try MPinSigningKey(file: signing)).status == 200)
    }

    @Test func `two D-TAs share neither a master nor an id`() throws {
        let bodies = try (0..<2).map { _ in
            let authority = try TemporaryAuthority(), key = try authority.signingKey()
            return try authority.opened(clock) { $0.answer(Sample.request(.serverKey), key).body }
        }
        #expect(bodies[0] != bodies[1])
    }

    @Test(arguments: ["authority.json", "issued", "sealing.key"])
    func `a file that others can access stops the start, and the remedy names the command`(name: String) throws {
        let authority = try TemporaryAuthority()
        for mode in [0o640, 0o604, 0o620, 0o644] {
            try authority.write(name, try authority.read(name), mode: mode)
            let error = error(authority)
            #expect(error?.code == .exposed)
            #expect(error?.remedy == "Run: chmod 600 '\(authority.path(name))'")
        }
        try authority.write(name, try authority.read(name))
        #expect(error(authority) == nil)
    }

    @Test func `a directory that others can access stops the start`() throws {
        let authority = try TemporaryAuthority()
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: authority.directory.path)
        #expect(error(authority)?.remedy == "Run: chmod 700 '\(authority.directory.path)'")
        #expect(code(authority) == .exposed)
    }

    @Test(arguments: ["authority.json", "issued", "sealing.key"])
    func `a missing file stops the start, and the remedy helps`(name: String) throws {
        let authority = try TemporaryAuthority()
        try FileManager.default.removeItem(atPath: authority.path(name))
        let error = error(authority)
        #expect(error?.code == .missing && error?.remedy != nil)
        #expect(!FileManager.default.fileExists(atPath: authority.path(name)))
    }

    @Test func `a D-TA that was never created is refused`() throws {
        let authority = try TemporaryAuthority(creates: false)
        #expect(code(authority) == .missing)
        #expect(error(authority)?.remedy?.contains("tenure dta init") == true)
    }

    @Test func `a foreign sealing key is refused`() throws {
        let authority = try TemporaryAuthority(), other = try TemporaryAuthority()
        let error = error(authority, keyFile: other.path("sealing.key"))
        #expect(error?.code == .keyForeign && error?.remedy?.contains("--key-file") == true)
    }

    @Test(arguments: ["", "\n", "00\n", "not hexadecimal"])
    func `a malformed key file is refused`(text: String) throws {
        let authority = try TemporaryAuthority()
        try authority.write("sealing.key", Data(text.utf8))
        #expect(code(authority) == .malformed)
    }

    @Test func `every member of the authority file is covered by the seal`() throws {
        let authority = try TemporaryAuthority()
        let text = String(decoding: try authority.read("authority.json"), as: UTF8.self)
        guard case .object(let members) = try StrictJSON.parse(Array(text.utf8)), case .string(let id)? = members["id"],
            case .string(let sealed)? = members["sealed"], var bytes = Base64.decode(sealed)
        else { return #expect(Bool(false), "the file has another form") }
        bytes[20] ^= 1
        let cases: [(String, String, MPinAuthorityError.Code)] = [
            (id, UUID.random().lowercased, .keyForeign), (sealed, Base64.encode(bytes), .keyForeign),
            (sealed, "", .keyForeign), ("\"version\":1", "\"version\":2", .versionUnknown),
            ("\"version\":1", "\"version\":1,\"other\":1", .malformed),
            ("BLS12381-AMCL3-SHA256", "BLS12381-OTHER", .malformed), ("{", "", .malformed),
        ]
        for (part, changed, code) in cases {
            try authority.write("authority.json", Data(text.replacing(part, with: changed).utf8))
            #expect(self.code(authority) == code, "\(changed)")
        }
    }

    @Test func `the sealed file shows neither master nor signing key`() throws {
        let authority = try TemporaryAuthority()
        let file = try authority.read("authority.json")
        let signing = try authority.signingKey().bytes
        #expect(file.range(of: Data(Base64.encode(signing).utf8)) == nil && file.range(of: Data(signing)) == nil)
        #expect(file.range(of: Data(Hex.encode(signing).utf8)) == nil)
    }

    @Test func `a directory is served by one process at a time`() throws {
        let authority = try TemporaryAuthority()
        try authority.opened(clock) { _ in #expect(code(authority) == .busy) }
        #expect(error(authority) == nil)
    }

    @Test func `an incomplete last line of the list is dropped`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey()
        _ = try authority.opened(clock) { $0.answer(Sample.request(), key) }
        let whole = try authority.read("issued")
        try authority.write("issued", whole + Data(Hex.encode(Sample.hash.reversed()).utf8))
        try authority.opened(clock) { issuer in
            let kept = try authority.read("issued")
            #expect(kept == whole)
            #expect(issuer.answer(Sample.request(), key).status == 200)
        }
        #expect(try authority.read("issued") == whole)
    }

    @Test func `a malformed line of the list stops the start`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey()
        _ = try authority.opened(clock) { $0.answer(Sample.request(), key) }
        var lines = try authority.read("issued")
        lines[3] = UInt8(ascii: "x")
        try authority.write("issued", lines)
        #expect(code(authority) == .malformed)
    }

    @Test func `the earlier of two lines of an identity counts`() throws {
        let authority = try TemporaryAuthority(), key = try authority.signingKey()
        let early = clock.now.adding(.seconds(-86_401))
        let point = try MPinIdentityPoint(digest: Sample.hash).encoded
        let listed = Hex.encode(Array(SHA256.hash(data: point)))
        for times in [[early, clock.now], [clock.now, early]] {
            let lines = times.map { "\(listed) \($0)\n" }.joined()
            try authority.write("issued", Data(lines.utf8))
            try authority.opened(clock) { #expect($0.answer(Sample.request(), key) == .closed) }
        }
    }
}
