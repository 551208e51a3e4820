import Testing

@testable import tenure

/// Which address of a service `tenure client` takes.
@Suite struct ClientAddressTests {
    @Test(arguments: [
        ("http://localhost:8080", "http://localhost:8080"), ("HTTP://LOCALHOST:8080", "http://localhost:8080"),
        ("HTTPS://ID.Example/Tenure", "https://id.example/Tenure"), ("https://id.example", "https://id.example"),
        ("http://[::1]:8080", "http://[::1]:8080"), ("HTTP://127.0.0.1/", "http://127.0.0.1/"),
    ])
    func `scheme and host count in any case`(text: String, address: String) throws {
        #expect(try ClientOptions.address(text, clearTextAllowed: false) == address)
    }

    @Test(arguments: ["https://id.example/v1", "https://id.example/v1/", "http://localhost:8080/v1"])
    func `the path of the API is refused with what to remove`(text: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try ClientOptions.address(text, clearTextAllowed: false)
        }
        #expect(failure?.exitCode == .usage && failure?.remedy == "Remove /v1 from it.")
    }

    @Test func `clear text beyond loopback needs a permission`() throws {
        for text in ["http://id.example", "HTTP://LOCALHOST.example", "http://localhost@id.example"] {
            #expect(throws: CommandFailure.self) { try ClientOptions.address(text, clearTextAllowed: false) }
        }
        #expect(try ClientOptions.address("http://id.example", clearTextAllowed: true) == "http://id.example")
    }
}
