// swift-tools-version:6.3
import PackageDescription

// A back end that accepts Tenure's access tokens. Outside this repository, depend on the repository's URL instead.
let package = Package(
    name: "protected-api",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "tenure", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "ProtectedAPI",
            dependencies: [
                .product(name: "TenureTokens", package: "tenure"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
