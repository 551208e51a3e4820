/// What each target may import, as `docs/ARCHITECTURE.md` shows it; the tests hold every `import` line against it.
enum ImportTable {
    /// The row of one target.
    struct Row {
        /// Other targets of this package.
        var local: Set<String> = []
        /// Modules of the packages that `Package.swift` names, and of the packages that those re-export.
        var external: Set<String> = []
        /// A pure target touches no clock of its own, no file and no network: it gets `FoundationEssentials` alone.
        var isPure = false
    }

    /// Modules of the platform that a target which is not pure may import.
    static let platform: Set<String> = [
        "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl",
        "Security", "Synchronization",
    ]

    /// Modules of the platform that a pure target may import.
    static let platformOfPureTargets: Set<String> = ["FoundationEssentials"]

    static let rows: [String: Row] = [
        "CSchema": Row(isPure: true),
        "CText": Row(isPure: true),
        "CCredentials": Row(isPure: true),
        "CIdentityService": Row(isPure: true),
        "CHTTPAPI": Row(isPure: true),
        "Embedding": Row(isPure: true),
        "Schema": Row(local: ["CSchema", "Embedding"], isPure: true),
        "CLibPQ": Row(isPure: true),
        "CCurl": Row(isPure: true),
        "Transfers": Row(local: ["CCurl"]),
        // The C library for the one clock that `Timestamp.now()` reads.
        "Canonical": Row(external: ["Darwin", "Glibc", "Musl"], isPure: true),
        "Text": Row(local: ["CText", "Embedding"], isPure: true),
        "ErrorCodes": Row(isPure: true),
        "PrivateFiles": Row(),
        "Postgres": Row(local: ["CLibPQ"], external: ["Logging", "ServiceLifecycle"]),
        "Ledger": Row(local: ["Postgres", "Canonical"], external: ["Crypto", "Logging", "ServiceLifecycle"]),
        "Keys": Row(local: ["Postgres", "PrivateFiles", "Canonical"], external: ["Crypto"]),
        "Credentials": Row(
            local: ["CCredentials", "Embedding", "Text", "Canonical"], external: ["Crypto", "CryptoExtras"],
            isPure: true),
        "BLS12381": Row(isPure: true),
        "MPinCryptography": Row(local: ["BLS12381"], external: ["Crypto"], isPure: true),
        "MPinRequests": Row(local: ["Canonical"], external: ["Crypto"], isPure: true),
        "HTTPLimits": Row(
            external: [
                "HTTPTypes", "HummingbirdCore", "HummingbirdTLS", "Logging", "NIOCore", "NIOExtras", "NIOHTTP1",
                "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOSSL", "ServiceLifecycle",
            ]),
        "MPinAuthority": Row(
            local: ["HTTPLimits", "MPinRequests", "MPinCryptography", "PrivateFiles", "Canonical"],
            external: [
                "Crypto", "HTTPTypes", "Hummingbird", "HummingbirdCore", "HummingbirdTLS", "Logging", "NIOCore",
            ]),
        "AccessTokens": Row(local: ["Canonical"], external: ["Crypto"], isPure: true),
        "TenureTokens": Row(
            local: ["AccessTokens", "Canonical"], external: ["AsyncHTTPClient", "NIOCore", "NIOHTTP1"]),
        "Identity": Row(local: ["ErrorCodes", "Text", "Canonical"], external: ["Crypto"], isPure: true),
        "EventCoding": Row(local: ["Ledger", "Keys", "Identity", "Canonical"]),
        "Projections": Row(
            local: ["EventCoding", "Ledger", "Keys", "Identity", "Postgres", "Canonical"],
            external: ["Logging", "ServiceLifecycle"]),
        "IdentityService": Row(
            local: [
                "CIdentityService", "Embedding",
                "TenureAPI", "Identity", "ErrorCodes", "EventCoding", "Ledger", "Keys", "Credentials", "AccessTokens",
                "MPinCryptography", "Postgres", "PrivateFiles", "Canonical", "Text",
            ], external: ["Crypto", "CryptoExtras", "Logging", "ServiceLifecycle"]),
        "TenureServer": Row(
            local: [
                "TenureAPI", "IdentityService", "Projections", "EventCoding", "Identity", "ErrorCodes", "Credentials",
                "Keys",
                "Ledger", "Postgres", "MPinRequests", "Transfers", "Canonical",
            ], external: ["Logging", "ServiceLifecycle"]),
        "APIReference": Row(external: ["Yams"], isPure: true),
        "TenureAPI": Row(local: ["ErrorCodes", "Canonical"], isPure: true),
        "GenerateContract": Row(local: ["APIReference", "TenureAPI", "ErrorCodes", "Canonical"], external: ["Yams"]),
        "HTTPAPI": Row(
            local: [
                "TenureServer", "IdentityService", "TenureAPI", "ErrorCodes", "CHTTPAPI", "Embedding",
                "AccessTokens", "HTTPLimits", "Canonical",
            ],
            external: [
                "Crypto", "HTTPTypes", "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HummingbirdTLS",
                "Logging", "Mustache",
                "NIOCore", "NIOHTTPTypes", "NIOPosix", "NIOSSL", "ServiceLifecycle",
            ]),
        "TenureClient": Row(
            local: [
                "TenureAPI", "ErrorCodes", "Credentials", "MPinCryptography", "PrivateFiles", "Canonical", "Text",
            ],
            external: ["Crypto"]),
        "LocalDevelopment": Row(
            local: ["TenureAPI", "ErrorCodes", "HTTPLimits", "PrivateFiles", "Text", "Canonical"],
            external: ["Crypto", "Subprocess", "System", "SystemPackage"]),
        "tenure": Row(
            local: [
                "LocalDevelopment",
                "CLibPQ", "Schema", "Canonical", "Text", "Postgres", "Ledger", "Keys", "Credentials", "Identity",
                "ErrorCodes", "EventCoding", "Projections", "IdentityService", "TenureServer", "TenureAPI", "HTTPAPI",
                "HTTPLimits", "MPinAuthority", "MPinRequests", "PrivateFiles", "Transfers", "TenureClient",
            ],
            external: [
                "ArgumentParser", "Crypto", "Logging", "ServiceLifecycle", "UnixSignals",
            ]),
    ]

    /// Whether the table lets `target` import `module`.
    static func allows(_ module: String, in target: String) -> Bool {
        guard let row = rows[target] else { return false }
        let platform = row.isPure ? platformOfPureTargets : platform
        return platform.contains(module) || row.local.contains(module) || row.external.contains(module)
    }
}
