// swift-tools-version:6.3
import PackageDescription

/// Every target is built with the same settings: language mode 6, warnings are errors, and the upcoming features that
/// make isolation and imports explicit.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// Where C is touched, every unsafe expression is marked.
let settingsBesideC: [SwiftSetting] = settings + [.strictMemorySafety()]

/// The tests' own code is not optimised: that halves the time of the one release build, and what is tested stays what is
/// shipped. The optimiser also crashes on some large test modules.
let settingsOfTests: [SwiftSetting] = settings + [.unsafeFlags(["-Onone"])]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
// A second BoringSSL, which is a third of a first build.
let withTLS: TargetDependencyCondition? = .when(traits: ["TLS"])
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird", condition: withTLS)
let hummingbirdHTTP2: Target.Dependency = .product(name: "HummingbirdHTTP2", package: "hummingbird", condition: withTLS)
let hummingbirdTesting: Target.Dependency = .product(name: "HummingbirdTesting", package: "hummingbird")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl", condition: withTLS)
let nioConcurrency: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1: Target.Dependency = .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioExtras: Target.Dependency = .product(name: "NIOExtras", package: "swift-nio-extras")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
// Only where development happens: the package cannot be built for iOS.
let subprocess: Target.Dependency = .product(
    name: "Subprocess", package: "swift-subprocess", condition: .when(platforms: [.linux, .macOS]))
let systemPackage: Target.Dependency = .product(
    name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux]))

let package = Package(
    name: "tenure",
    platforms: [.macOS(.v15), .iOS(.v16)],
    products: [
        .executable(name: "tenure", targets: ["tenure"]),
        .library(name: "TenureClient", targets: ["TenureClient", "TenureAPI", "ErrorCodes", "Canonical"]),
        .library(name: "TenureTokens", targets: ["TenureTokens", "AccessTokens", "Canonical"]),
        .library(name: "Ledger", targets: ["Ledger", "Postgres", "Schema", "Canonical"]),
        .library(name: "Credentials", targets: ["Credentials", "Canonical"]),
    ],
    traits: [
        .trait(name: "TLS", description: "Servers speak TLS; without it a program serves loopback only."),
        .default(enabledTraits: ["TLS"]),
    ],
    // Exact, so that one commit builds one program. deploy/versions.resolved has those of the others.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // What is not Swift is embedded by C targets that scripts/embed writes, one beside each target that owns files.
        .target(name: "CSchema"),
        .target(name: "CText"),
        .target(name: "CCredentials"),
        .target(name: "CIdentityService"),
        .target(name: "CHTTPAPI"),
        .target(name: "Embedding", swiftSettings: settingsBesideC),
        .target(
            name: "Schema", dependencies: ["CSchema", "Embedding"], path: "schema",
            exclude: ["README.md", "released", "migrations", "functions", "distributed"], sources: ["Schema.swift"],
            swiftSettings: settingsBesideC),
        .target(name: "Canonical", swiftSettings: settings),
        .target(
            name: "Text", dependencies: ["CText", "Embedding"], exclude: ["Tables"], swiftSettings: settingsBesideC),
        .target(name: "ErrorCodes", swiftSettings: settings),
        .target(name: "PrivateFiles", swiftSettings: settings),
        .target(name: "Postgres", dependencies: ["CLibPQ", logging, lifecycle], swiftSettings: settingsBesideC),
        .target(
            name: "Ledger", dependencies: ["Postgres", "Canonical", crypto, logging, lifecycle],
            swiftSettings: settings),
        .target(
            name: "Keys", dependencies: ["Postgres", "PrivateFiles", "Canonical", crypto], swiftSettings: settings),
        .target(
            name: "Credentials",
            dependencies: ["CCredentials", "Embedding", "Text", "Canonical", crypto, cryptoExtras],
            exclude: ["Questions/questions-1.tsv", "Strength/common-passphrases-10000.txt"],
            swiftSettings: settingsBesideC),
        .target(name: "AccessTokens", dependencies: ["Canonical", crypto], swiftSettings: settings),
        .target(
            name: "TenureTokens", dependencies: ["AccessTokens", "Canonical", asyncHTTPClient, nioCore, nioHTTP1],
            swiftSettings: settings),
        .target(name: "Transfers", dependencies: ["CCurl"], swiftSettings: settingsBesideC),
        .target(name: "BLS12381", swiftSettings: settings),
        .target(name: "MPinCryptography", dependencies: ["BLS12381", crypto], swiftSettings: settings),
        .target(name: "MPinRequests", dependencies: ["Canonical", crypto], swiftSettings: settings),
        .target(
            name: "HTTPLimits",
            dependencies: [
                hummingbird, hummingbirdTLS, httpTypes, nioCore, nioExtras, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1,
                nioSSL, logging, lifecycle,
            ],
            swiftSettings: settings),
        .target(
            name: "MPinAuthority",
            dependencies: [
                "HTTPLimits", "MPinRequests", "MPinCryptography", "PrivateFiles", "Canonical", crypto, hummingbird,
                hummingbirdTLS, httpTypes, nioCore, logging,
            ], swiftSettings: settings),
        .target(name: "Identity", dependencies: ["ErrorCodes", "Text", "Canonical", crypto], swiftSettings: settings),
        .target(
            name: "EventCoding", dependencies: ["Ledger", "Keys", "Identity", "Canonical"], swiftSettings: settings),
        .target(
            name: "Projections",
            dependencies: ["EventCoding", "Ledger", "Keys", "Identity", "Postgres", "Canonical", logging, lifecycle],
            swiftSettings: settings),
        .target(
            name: "IdentityService",
            dependencies: [
                "CIdentityService", "Embedding", "TenureAPI", "Identity", "ErrorCodes", "EventCoding", "Ledger", "Keys",
                "Credentials", "AccessTokens", "MPinCryptography", "Postgres", "PrivateFiles", "Canonical", "Text",
                crypto, cryptoExtras, logging, lifecycle,
            ], exclude: ["Mail/Words"], swiftSettings: settingsBesideC),
        .target(
            name: "TenureServer",
            dependencies: [
                "TenureAPI", "IdentityService", "Projections", "EventCoding", "Identity", "ErrorCodes", "Credentials",
                "Keys",
                "Ledger", "Postgres", "MPinRequests", "Transfers", "Canonical", logging,
                lifecycle,
            ], swiftSettings: settings),
        .target(name: "APIReference", dependencies: [yams], swiftSettings: settings),
        .target(name: "TenureAPI", dependencies: ["ErrorCodes", "Canonical"], swiftSettings: settings),
        // Run by scripts/generate.
        .executableTarget(
            name: "GenerateContract", dependencies: ["APIReference", "TenureAPI", "ErrorCodes", "Canonical", yams],
            exclude: ["prose.yaml"], swiftSettings: settings),
        .target(
            name: "HTTPAPI",
            dependencies: [
                "TenureServer", "IdentityService", "TenureAPI", "ErrorCodes", "CHTTPAPI", "Embedding",
                "AccessTokens",
                "HTTPLimits",
                "Canonical", crypto, hummingbird, hummingbirdTLS, hummingbirdHTTP2, httpTypes, mustache, nioCore,
                nioHTTPTypes, logging, lifecycle,
            ],
            exclude: ["Operations/Reference", "Pages/Templates", "Pages/Assets", "Pages/Words"],
            swiftSettings: settingsBesideC),
        .target(
            name: "TenureClient",
            dependencies: [
                "TenureAPI", "ErrorCodes", "Credentials", "MPinCryptography", "PrivateFiles", "Canonical", "Text",
                crypto,
            ], swiftSettings: settings),
        // What `tenure serve --development` starts and prepares. Nothing else may import it.
        .target(
            name: "LocalDevelopment",
            dependencies: [
                "TenureAPI", "ErrorCodes", "HTTPLimits", "PrivateFiles", "Text", "Canonical", crypto, subprocess,
                systemPackage,
            ], swiftSettings: settings),
        .executableTarget(
            name: "tenure",
            dependencies: [
                "LocalDevelopment",
                "CLibPQ", "Schema", "Canonical", "Text", "Postgres", "Ledger", "Keys", "Credentials", "Identity",
                "ErrorCodes", "EventCoding", "Projections", "IdentityService", "TenureServer", "TenureAPI", "HTTPAPI",
                "TenureClient", "HTTPLimits", "MPinAuthority", "MPinRequests", "PrivateFiles", "Transfers", arguments,
                crypto, logging, lifecycle, signals,
            ], swiftSettings: settings),
        // Built here too, so that the example always compiles. Its own package is what a reader copies.
        .executableTarget(
            name: "ProtectedAPIExample", dependencies: ["TenureTokens", "AccessTokens", "Canonical", hummingbird],
            path: "Examples/ProtectedAPI/Sources/ProtectedAPI", swiftSettings: [.treatAllWarnings(as: .error)]),
        // What `make bench` measures with (docs/benchmarks.md).
        .executableTarget(
            name: "Bench",
            dependencies: [
                "Schema", "Canonical", "Postgres", "Ledger", "Keys", "Credentials", "MPinCryptography", "Identity",
                "EventCoding", "Projections", "IdentityService", "TenureServer", "TenureAPI", crypto, cryptoExtras,
                logging,
                lifecycle,
            ], path: "Benchmarks/Sources/Bench", swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["Canonical", "Ledger", "Postgres", "Schema", crypto, logging],
            path: "Tests/TestSupport", swiftSettings: settings),
        .executableTarget(
            name: "LedgerWorkerProcess", dependencies: ["Canonical", "Ledger", "Postgres", "TestSupport", logging],
            path: "Tests/LedgerWorker", swiftSettings: settings),
        // Holds a program, to be killed by a test.
        .executableTarget(
            name: "DevelopmentParent", dependencies: ["LocalDevelopment"], path: "Tests/DevelopmentParent",
            swiftSettings: settings),
        // Counts what is asked of malloc, by standing before it, and the instructions of a thread.
        .target(name: "CCounters", path: "Tests/CCounters"),
        .executableTarget(
            name: "AllocationGate", dependencies: ["CCounters", "Canonical", "Ledger", "TestSupport"],
            path: "Tests/AllocationGate", swiftSettings: settings),
        .testTarget(name: "ArchitectureTests", swiftSettings: settingsOfTests),
        .testTarget(name: "CanonicalTests", dependencies: ["Canonical"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "TextTests", dependencies: ["Text"],
            exclude: ["golden.tsv", "oracle.py", "idna.tsv", "idna_oracle.py"],
            swiftSettings: settingsOfTests),
        .testTarget(
            name: "IdentityTests", dependencies: ["Identity", "ErrorCodes", "Canonical", "Text"], exclude: ["Fixtures"],
            swiftSettings: settingsOfTests),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "CLibPQ", logging, lifecycle],
            swiftSettings: settingsOfTests),
        .testTarget(
            name: "LedgerTests",
            dependencies: [
                "Canonical", "Ledger", "LedgerWorkerProcess", "Postgres", "Schema", "TestSupport", crypto, logging,
            ], exclude: ["Proof/check.go"], swiftSettings: settingsOfTests),
        .testTarget(name: "PrivateFilesTests", dependencies: ["PrivateFiles"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "KeysTests", dependencies: ["Keys", "TestSupport", "Postgres", "PrivateFiles", "Canonical", crypto],
            swiftSettings: settingsOfTests),
        .testTarget(
            name: "CredentialsTests", dependencies: ["Credentials", "Canonical", "Text", crypto, cryptoExtras],
            exclude: ["vectors"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "AccessTokensTests", dependencies: ["AccessTokens", "Canonical", crypto],
            swiftSettings: settingsOfTests),
        .testTarget(
            name: "TenureTokensTests", dependencies: ["TenureTokens", "AccessTokens", "Canonical", crypto],
            swiftSettings: settingsOfTests),
        .testTarget(name: "BLS12381Tests", dependencies: ["BLS12381"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "MPinCryptographyTests", dependencies: ["MPinCryptography", "BLS12381"],
            exclude: ["make_vectors.py", "vectors"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "MPinRequestsTests", dependencies: ["MPinRequests", "Canonical", crypto],
            swiftSettings: settingsOfTests),
        .testTarget(name: "HTTPLimitsTests", dependencies: ["HTTPLimits"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "MPinAuthorityTests",
            dependencies: [
                "MPinAuthority", "HTTPLimits", "MPinRequests", "MPinCryptography", "PrivateFiles", "Canonical", crypto,
                logging,
            ], swiftSettings: settingsOfTests),
        .testTarget(
            name: "ProjectionsTests",
            dependencies: [
                "Projections", "EventCoding", "Ledger", "Keys", "Identity", "Postgres", "Canonical", "TestSupport",
                crypto, logging,
            ], swiftSettings: settingsOfTests),
        .testTarget(
            name: "IdentityServiceTests",
            dependencies: [
                "IdentityService", "TenureServer", "TenureAPI", "ErrorCodes", "AccessTokens", "EventCoding", "Keys",
                "Ledger",
                "Postgres",
                "Canonical",
                "Schema", "TestSupport", crypto, cryptoExtras,
            ], exclude: ["Fixtures"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "TenureAPITests", dependencies: ["TenureAPI", "ErrorCodes", "Canonical", crypto],
            swiftSettings: settingsOfTests),
        .testTarget(
            name: "GenerateContractTests", dependencies: ["GenerateContract", "TenureAPI", "ErrorCodes"],
            swiftSettings: settingsOfTests),
        .testTarget(name: "APIReferenceTests", dependencies: ["APIReference"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "HTTPAPITests",
            dependencies: [
                "HTTPAPI", "HTTPLimits", "Embedding", "TenureServer", "IdentityService", "TenureAPI", "TenureClient",
                "ErrorCodes", "AccessTokens",
                "Canonical",
                crypto, hummingbird, hummingbirdTesting, httpTypes, mustache, nioCore, nioConcurrency, nioPosix, nioSSL,
                logging,
                lifecycle,
            ], exclude: ["check_openapi.py", "Pages/Modules"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "TenureClientTests",
            dependencies: [
                "TenureClient", "TenureAPI", "ErrorCodes", "Credentials", "MPinCryptography", "PrivateFiles",
                "Canonical",
                crypto,
            ],
            swiftSettings: settingsOfTests),
        .testTarget(
            name: "ScenarioTests",
            dependencies: [
                "HTTPAPI", "HTTPLimits", "TenureServer", "IdentityService", "Identity", "ErrorCodes", "Projections",
                "Credentials", "Keys", "Ledger", "Postgres", "Canonical", "TestSupport", "TenureAPI", "TenureClient",
                "tenure",
                "MPinAuthority", "MPinRequests", "MPinCryptography", "Transfers", "AccessTokens", crypto, cryptoExtras,
                hummingbird,
                nioCore,
                nioPosix, logging, lifecycle,
            ], exclude: ["ClientLibrary/terminal.py", "Mail/mail_server.py"], swiftSettings: settingsOfTests),
        .testTarget(
            name: "tenureTests",
            dependencies: [
                "tenure", "LocalDevelopment", "DevelopmentParent", "Canonical", "ErrorCodes", "EventCoding", "HTTPAPI",
                "HTTPLimits", "Identity",
                "IdentityService",
                "Keys", "Ledger", "Postgres", "Projections", "Schema", "TenureServer", "TenureAPI", "TenureClient",
                "TestSupport", "Transfers",
                arguments, crypto, logging,
            ],
            swiftSettings: settingsOfTests),
    ],
    swiftLanguageModes: [.v6]
)
