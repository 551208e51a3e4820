// swift-tools-version:6.3
import PackageDescription

// What `make memcheck` runs. A package of its own, because it needs Valgrind's headers and the package above does not.
// Two folders of `Sources` are symbolic links, so there is one copy of every file. They are built as they ship: for
// release, without testing enabled.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]
let settingsBesideC: [SwiftSetting] = settings + [.strictMemorySafety()]

let package = Package(
    name: "memcheck",
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
    ],
    targets: [
        .systemLibrary(name: "CMemcheck", providers: [.apt(["valgrind"])]),
        .target(name: "BLS12381", swiftSettings: settings),
        .target(
            name: "MPinCryptography", dependencies: ["BLS12381", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .executableTarget(
            name: "Memcheck", dependencies: ["CMemcheck", "BLS12381", "MPinCryptography"],
            swiftSettings: settingsBesideC),
    ],
    swiftLanguageModes: [.v6]
)
