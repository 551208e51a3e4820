import Testing
@testable import BLS12381

@Suite struct ScalarTests {
    @Test func `a scalar is 32 bytes below r and comes back as written`() throws {
        var generator = SeededGenerator(10)
        for _ in 0..<500 {
            let scalar = generator.scalar()
            #expect(scalar.encoded.lexicographicallyPrecedes(Samples.r))
            #expect(try Scalar(encoded: scalar.encoded).encoded == scalar.encoded)
        }
        #expect(try Scalar(encoded: [UInt8](repeating: 0, count: 32)).isZero)
        #expect(Scalar(1).isZero == false && Samples.minusOne.encoded.last == 0)
    }

    @Test func `r, what follows it and other lengths are refused`() {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        for wrong in [Samples.r, Samples.sum(Samples.r, one), [UInt8](repeating: 0xff, count: 32)] {
            #expect(throws: BLS12381Error.notCanonical) { try Scalar(encoded: wrong) }
        }
        for top in UInt8(0x74)...0xff {
            #expect(throws: BLS12381Error.notCanonical) { try Scalar(encoded: [top] + Samples.r.dropFirst()) }
        }
        for count in [0, 1, 31, 33, 48, 64] {
            #expect(throws: BLS12381Error.wrongLength) { try Scalar(encoded: [UInt8](repeating: 0, count: count)) }
        }
        for count in [0, 32, 47, 49] {
            #expect(throws: BLS12381Error.wrongLength) { try Scalar(reducing: [UInt8](repeating: 0, count: count)) }
        }
    }

    @Test func `sums wrap at r`() {
        #expect((Samples.minusOne + Scalar(1)).isZero)
        #expect((Samples.minusOne + Scalar(8)).encoded == Scalar(7).encoded)
        #expect((Samples.minusOne + Samples.minusOne + Scalar(2)).isZero)
        var generator = SeededGenerator(11)
        for _ in 0..<100 {
            let (a, b, c) = (generator.scalar(), generator.scalar(), generator.scalar())
            #expect((a + b).encoded == (b + a).encoded && ((a + b) + c).encoded == (a + (b + c)).encoded)
        }
    }

    @Test(arguments: [
        ("00", "0000000000000000000000000000000000000000000000000000000000000000"),
        ("ff", "2dbeaf1fd4843acb7abbe5687369510a9277efb8ac0a600dcf2ab21bf81f712c"),
    ])
    func `48 equal bytes are reduced as an independent calculation says`(byte: String, expected: String) throws {
        let wide = Samples.bytes(String(repeating: byte, count: 48))
        #expect(try Scalar(reducing: wide).encoded == Samples.bytes(expected))
    }

    @Test func `48 bytes in order are reduced as an independent calculation says, and r to zero`() throws {
        let expected = "1beb01a0db17ad14f6f9daa88f841ac34ab5f49a7385dfe98a0d5fdcceb18c87"
        #expect(try Scalar(reducing: Array(0..<48)).encoded == Samples.bytes(expected))
        #expect(try Scalar(reducing: [UInt8](repeating: 0, count: 16) + Samples.r).isZero)
        #expect(try Scalar(reducing: Samples.r + [UInt8](repeating: 0, count: 16)).isZero)
    }

    @Test func `neither scalars nor points show their limbs`() {
        let values: [Any] = [Scalar(77), Samples.g1Generator, G2Point.generator, PairingLines(.generator)]
        for value in values {
            #expect("\(value)" == "[undisclosed]" && String(reflecting: value) == "[undisclosed]")
            #expect(Mirror(reflecting: value).children.isEmpty)
        }
    }
}
