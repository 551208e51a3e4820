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
        configuration.allowsClearText = false
        configuration.certificate = .init(chainFile: "chain.pem", keyFile: "key.pem")
        try configuration.validate()
    }

    @Test(arguments: ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
    func `clear text on loopback needs no permission`(host: String) throws {
        try MPinAuthorityConfiguration(host: host).validate()
    }
}
