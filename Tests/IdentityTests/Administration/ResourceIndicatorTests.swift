import Canonical
import ErrorCodes
@testable import Identity
import Testing

@Suite struct `A resource` {
    @Test(arguments: [
        "https://api.example.com", "https://api.example.com/", "https://api.example.com:8443/v1/?tenant=a%2Fb&x=[1]",
        "HTTP://127.0.0.1/", "https://[2001:db8::1]/", "urn:example:harbour", "api+v1.0-x://a", "tag:a@b,2026:c",
        "urn:" + String(repeating: "x", count: 251),
    ])
    func `is an absolute URI, kept as given`(text: String) throws {
        #expect(try ResourceIndicator(text).text == text)
    }

    @Test(arguments: [
        ("", "a value is required"),
        ("urn:" + String(repeating: "x", count: 252), "the URI has more than 255 bytes"),
        ("https://api.example.com/#part", "the URI has a fragment; leave it out"),
        ("https://api.example.com/#", "the URI has a fragment; leave it out"),
        ("https://api.example.com/a b", "the URI contains a character that is not accepted; percent-encode it"),
        ("https://bücher.example/", "the URI contains a character that is not accepted; percent-encode it"),
        ("https://a.example/\u{7F}", "the URI contains a character that is not accepted; percent-encode it"),
        ("https://a.example/\"", "the URI contains a character that is not accepted; percent-encode it"),
        ("https://a.example/%4", "the URI contains a character that is not accepted; percent-encode it"),
        ("https://a.example/%zz", "the URI contains a character that is not accepted; percent-encode it"),
        ("api.example.com/v1", "the URI has no scheme; write an absolute one, such as https://api.example.com/"),
        ("//api.example.com", "the URI has no scheme; write an absolute one, such as https://api.example.com/"),
        ("://api", "the URI has no scheme; write an absolute one, such as https://api.example.com/"),
        ("1a://api", "the URI has no scheme; write an absolute one, such as https://api.example.com/"),
        ("a/b:c", "the URI has no scheme; write an absolute one, such as https://api.example.com/"),
        ("urn:", "the URI has nothing after its scheme"),
        ("https:/api.example.com", "the URI names no host; write https://, a host and a path"),
        ("http:///v1", "the URI names no host; write https://, a host and a path"),
        ("https://", "the URI names no host; write https://, a host and a path"),
        ("HTTPS:api", "the URI names no host; write https://, a host and a path"),
    ])
    func `of another form is refused with the reason`(text: String, reason: String) {
        #expect(throws: ValueError(.requestInvalid, field: "resource", reason: reason)) {
            try ResourceIndicator(text)
        }
    }

    @Test func `in an event has the same form`() throws {
        let version = GoldenFiles.Version(type: AppResourceAdded.self, schema: 1)
        guard case .object(var data) = try #require(try GoldenFiles.data(version).first) else {
            Issue.record("the golden file has no object")
            return
        }
        _ = try GoldenFiles.decode(version, .object(data))
        for wrong in ["", "api.example.com", "https://api.example.com/#a", "https://a.example/\0"] {
            data["resource"] = .string(wrong)
            #expect(throws: (any Error).self, "\(wrong)") { try GoldenFiles.decode(version, .object(data)) }
        }
    }
}
