// swift-tools-version:6.3
import PackageDescription

// The targets that need no server, by themselves, for `scripts/test quick`: SwiftPM builds either one target without
// its tests or the tests of all targets. `Sources` and the folders below `Tests` are symbolic links, so there is one
// copy of every file; ArchitectureTests compare the targets with those of the manifest above.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let settingsBesideC: [SwiftSetting] = settings + [.strictMemorySafety()]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")

let package = Package(
    name: "quick",
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2")],
    targets: [
        .target(name: "Canonical", swiftSettings: settings),
        .target(name: "CText"),
        .target(name: "CCredentials"),
        .target(name: "Embedding", swiftSettings: settingsBesideC),
        .target(
            name: "Text", dependencies: ["CText", "Embedding"], exclude: ["Tables"], swiftSettings: settingsBesideC),
        .target(name: "ErrorCodes", swiftSettings: settings),
        .target(name: "PrivateFiles", swiftSettings: settings),
        .target(
            name: "Credentials",
            dependencies: ["CCredentials", "Embedding", "Text", "Canonical", crypto, cryptoExtras],
            exclude: ["Questions/questions-1.tsv", "Strength/common-passphrases-10000.txt"],
            swiftSettings: settingsBesideC),
        .target(name: "AccessTokens", dependencies: ["Canonical", crypto], swiftSettings: settings),
        .target(name: "MPinRequests", dependencies: ["Canonical", crypto], swiftSettings: settings),
        .target(name: "Identity", dependencies: ["ErrorCodes", "Text", "Canonical", crypto], swiftSettings: settings),
        .target(name: "TenureAPI", dependencies: ["ErrorCodes", "Canonical"], swiftSettings: settings),
        .testTarget(name: "CanonicalTests", dependencies: ["Canonical"], swiftSettings: settings),
        .testTarget(
            name: "TextTests", dependencies: ["Text"],
            exclude: ["golden.tsv", "oracle.py", "idna.tsv", "idna_oracle.py"], swiftSettings: settings),
        .testTarget(name: "PrivateFilesTests", dependencies: ["PrivateFiles"], swiftSettings: settings),
        .testTarget(
            name: "CredentialsTests", dependencies: ["Credentials", "Canonical", "Text", crypto, cryptoExtras],
            exclude: ["vectors"], swiftSettings: settings),
        .testTarget(
            name: "AccessTokensTests", dependencies: ["AccessTokens", "Canonical", crypto], swiftSettings: settings),
        .testTarget(
            name: "MPinRequestsTests", dependencies: ["MPinRequests", "Canonical", crypto], swiftSettings: settings),
        .testTarget(
            name: "IdentityTests", dependencies: ["Identity", "ErrorCodes", "Canonical", "Text"], exclude: ["Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "TenureAPITests", dependencies: ["TenureAPI", "ErrorCodes", "Canonical"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
