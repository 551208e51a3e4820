// swift-tools-version:6.3
import PackageDescription

// The three targets that touch C, threads or secrets, by themselves: a sanitizer needs a build of everything it
// watches, and this one leaves the HTTP server out. `Sources` and the folders below `Tests` are symbolic links, so there
// is one copy of every file; ArchitectureTests compare the targets with those of the manifest above.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let settingsBesideC: [SwiftSetting] = settings + [.strictMemorySafety()]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "sanitize",
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "Schema", dependencies: ["CSchema", "Embedding"], path: "schema",
            exclude: ["README.md", "released", "migrations", "functions", "distributed"], sources: ["Schema.swift"],
            swiftSettings: settingsBesideC),
        .target(name: "Canonical", swiftSettings: settings),
        .target(name: "CSchema"),
        .target(name: "CText"),
        .target(name: "CCredentials"),
        .target(name: "Embedding", swiftSettings: settingsBesideC),
        .target(
            name: "Text", dependencies: ["CText", "Embedding"], exclude: ["Tables"], swiftSettings: settingsBesideC),
        .target(name: "Postgres", dependencies: ["CLibPQ", logging, lifecycle], swiftSettings: settingsBesideC),
        .target(
            name: "Ledger", dependencies: ["Postgres", "Canonical", crypto, logging, lifecycle],
            swiftSettings: settings),
        .target(
            name: "Credentials",
            dependencies: ["CCredentials", "Embedding", "Text", "Canonical", crypto, cryptoExtras],
            exclude: ["Questions/questions-1.tsv", "Strength/common-passphrases-10000.txt"],
            swiftSettings: settingsBesideC),
        .target(
            name: "TestSupport", dependencies: ["Canonical", "Ledger", "Postgres", "Schema", crypto, logging],
            path: "Tests/TestSupport", swiftSettings: settings),
        .executableTarget(
            name: "LedgerWorkerProcess", dependencies: ["Canonical", "Ledger", "Postgres", "TestSupport", logging],
            path: "Tests/LedgerWorker", swiftSettings: settings),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "CLibPQ", logging, lifecycle], swiftSettings: settings),
        .testTarget(
            name: "LedgerTests",
            dependencies: [
                "Canonical", "Ledger", "LedgerWorkerProcess", "Postgres", "Schema", "TestSupport", crypto, logging,
            ], swiftSettings: settings),
        .testTarget(
            name: "CredentialsTests", dependencies: ["Credentials", "Canonical", "Text", crypto, cryptoExtras],
            exclude: ["vectors"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
