import Foundation
import HTTPLimits
import Logging
import Testing

@testable import MPinAuthority

@Suite struct MPinAuthorityConfigurationTests {
    @Test(arguments: ["0.0.0.0", "::", "10.0.0.7", "dta.example", "localhost.example"])
    func `clear text beyond loopback is refused unless it is permitted`(host: String) throws {
        var configuration = MPinAuthorityConfiguration(host: host)
        let error = #expect(throws: MPinAuthorityError.self) { try configuration.validate() }
        #expect(error?.code == .clearTextBeyondLoopback && error?.remedy?.contains("--certificate") == true)
        configuration.allowsClearText = true
        try configuration.validate()
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
    func `a certificate needs no permission`() throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let chain = place + ".pem", key = place + ".key"
        defer { for file in [chain, key] { try? FileManager.default.removeItem(atPath: file) } }
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
            "/CN=dta.example", "-keyout", key, "-out", chain,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        let certificate = try ServerCertificate(chainFile: chain, keyFile: key, logger: Logger(label: "test"))
        try MPinAuthorityConfiguration(host: "dta.example", certificate: certificate).validate()
    }

    @Test(arguments: ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
    func `clear text on loopback needs no permission`(host: String) throws {
        try MPinAuthorityConfiguration(host: host).validate()
    }
}
