import Canonical
import Testing

/// The modules of the conformance suite, each with a company of its own, one after another.
@Suite(.onServer, .sharedWorld, .serialized)
struct `The conformance modules` {
    @Test(arguments: ConformanceModule.basic) func `of Basic OP hold`(module: ConformanceModule) async throws {
        try await module.check(try await ConformanceStage(try sharedWorld()))
    }

    /// The plan has the modules of Basic OP, each answered by a form.
    @Test(arguments: ConformanceModule.basic) func `of Form Post OP hold`(module: ConformanceModule) async throws {
        try await module.check(try await ConformanceStage(try sharedWorld(), mode: "form_post"))
    }

    @Test(arguments: ConformanceModule.logOut)
    func `of RP-Initiated Logout OP hold`(module: ConformanceModule) async throws {
        try await module.check(try await ConformanceStage(try sharedWorld()))
    }

    @Test(arguments: ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"])
    func `of Config OP hold: oidcc-discovery-endpoint-verification`(path: String) async throws {
        let client = try sharedWorld().client
        let metadata = try await client.get(path, by: .nobody)
        #expect(metadata.status == 200 && metadata.headers["content-type"] == "application/json")
        let issuer = try #require(metadata["issuer"]?.text)
        #expect(!issuer.hasSuffix("/") && !issuer.contains("?") && !issuer.contains("#"))
        for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
            #expect(metadata[name]?.text?.hasPrefix(issuer + "/") == true, "\(name)")
        }
        for (name, value) in [
            ("response_types_supported", "code"), ("subject_types_supported", "public"),
            ("id_token_signing_alg_values_supported", "RS256"), ("scopes_supported", "openid"),
            ("claims_supported", "sub"), ("grant_types_supported", "refresh_token"),
        ] {
            #expect(metadata[name]?.items.contains { $0.text == value } == true, "\(name)")
        }
        // Without these members a client may send request objects by reference.
        for name in ["request_uri_parameter_supported", "request_parameter_supported"] {
            #expect(metadata[name] == false)
        }
        let keys = try await client.get("/.well-known/jwks.json", by: .nobody)["keys"]?.items ?? []
        #expect(Set(keys.compactMap { $0["kid"]?.text }).count == keys.count && keys.count >= 3)
        #expect(keys.allSatisfy { $0["d"] == nil && $0["use"] == "sig" && $0["alg"] != nil })
    }
}
