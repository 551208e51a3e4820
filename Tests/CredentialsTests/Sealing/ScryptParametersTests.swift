import Canonical
import Testing

@testable import Credentials

@Suite struct ScryptParametersTests {
    @Test func `only the published range is accepted`() {
        for log2N in UInt8.min ... .max {
            for r in [UInt8(0), 1, 7, 8, 9, 255] {
                for p in [UInt8(0), 1, 2, 3, 4, 255] {
                    let accepted = (try? ScryptParameters(log2N: log2N, r: r, p: p)) != nil
                    #expect(accepted == ((14...17).contains(log2N) && r == 8 && (1...3).contains(p)))
                }
            }
        }
        #expect(ScryptParameters.standard.bytes == [1, 15, 8, 1])
    }

    /// Computed with another implementation of scrypt.
    @Test(arguments: [
        (UInt8(14), UInt8(1), "f04d94e3f81e05e9c291d6b0a63d21ef021b8877185917c63bcd8c518358b0ed"),
        (UInt8(17), UInt8(3), "9d70b30fc464dc84e4aec984437e3b114043a7b090e57a62cc7e8b6daea8919a"),
    ]) func `the cheapest and the dearest parameters compute what another implementation computes`(
        _ log2N: UInt8, _ p: UInt8, _ expected: String
    ) throws {
        let stretched = try ScryptParameters(log2N: log2N, p: p)
            .stretch(SecretBytes(Array("output".utf8)), salt: [UInt8](repeating: 0x73, count: 32))
        #expect(Hex.encode(stretched.bytes) == expected)
    }
}
