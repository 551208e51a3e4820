import Testing
@testable import BLS12381

@Suite struct DecoderTests {
    private static func refusal(_ work: () throws(BLS12381Error) -> Void) -> BLS12381Error? {
        do throws(BLS12381Error) {
            try work()
            return nil
        } catch {
            return error
        }
    }

    private static func g1(_ bytes: [UInt8]) -> BLS12381Error? {
        refusal { () throws(BLS12381Error) in _ = try G1Point(encoded: bytes) }
    }

    private static func g2(_ bytes: [UInt8]) -> BLS12381Error? {
        refusal { () throws(BLS12381Error) in _ = try G2Point(encoded: bytes) }
    }

    private static func scalar(_ bytes: [UInt8]) -> BLS12381Error? {
        refusal { () throws(BLS12381Error) in _ = try Scalar(encoded: bytes) }
    }

    @Test func `a point comes back as written`() throws {
        #expect(try G1Point(encoded: Samples.g1GeneratorBytes) == Samples.g1Generator)
        #expect(Samples.g1Generator.encoded == Samples.g1GeneratorBytes)
        var generator = SeededGenerator(40)
        for _ in 0..<40 {
            let (p, q) = (generator.g1(), generator.g2())
            #expect(p.encoded.count == 97 && q.encoded.count == 192)
            #expect(try G1Point(encoded: p.encoded) == p && G2Point(encoded: q.encoded) == q)
        }
    }

    @Test func `every wrong length is refused`() {
        let (g1, g2) = (Samples.g1GeneratorBytes, G2Point.generator.encoded)
        for count in 0..<97 { #expect(Self.g1(Array(g1.prefix(count))) == .wrongLength) }
        for count in 0..<192 { #expect(Self.g2(Array(g2.prefix(count))) == .wrongLength) }
        #expect(Self.g1(g1 + [0]) == .wrongLength && Self.g2(g2 + [0]) == .wrongLength)
        #expect(Self.g1(g1 + g1) == .wrongLength && Self.g2([4] + g2) == .wrongLength)
    }

    @Test func `every other prefix is refused`() {
        for prefix in UInt8.min ... .max where prefix != 4 {
            #expect(Self.g1([prefix] + Samples.g1GeneratorBytes.dropFirst()) == .wrongPrefix)
        }
    }

    @Test func `a coordinate that is not below p is refused, although its residue is right`() {
        let g1 = Samples.g1GeneratorBytes
        for start in [1, 49] {
            var coordinate = Array(g1[start..<start + 48])
            // p fits eight times into 48 bytes.
            for _ in 0..<8 {
                coordinate = Samples.sum(coordinate, Samples.p)
                var bytes = g1
                bytes.replaceSubrange(start..<start + 48, with: coordinate)
                #expect(Self.g1(bytes) == .notCanonical)
            }
        }
        let g2 = G2Point.generator.encoded
        for start in stride(from: 0, to: 192, by: 48) {
            for value in [Samples.sum(Array(g2[start..<start + 48]), Samples.p), [UInt8](repeating: 0xff, count: 48)] {
                var bytes = g2
                bytes.replaceSubrange(start..<start + 48, with: value)
                #expect(Self.g2(bytes) == .notCanonical)
            }
        }
        let zeros = [UInt8](repeating: 0, count: 48)
        #expect(Self.g1([4] + Samples.p + zeros) == .notCanonical && Self.g1([4] + zeros + Samples.p) == .notCanonical)
    }

    @Test func `infinity has no encoding in any known form`() {
        let infinity = Samples.g1Generator.multiplied(by: Scalar(0)).encoded
        #expect(infinity == [4] + [UInt8](repeating: 0, count: 96) && Self.g1(infinity) == .notOnCurve)
        let second = G2Point.generator.multiplied(by: Scalar(0)).encoded
        #expect(second == [UInt8](repeating: 0, count: 192) && Self.g2(second) == .notOnCurve)
        #expect(Self.g1([0]) == .wrongLength && Self.g1([UInt8](repeating: 0, count: 97)) == .wrongPrefix)
        // (0, 1), as homogeneous coordinates without Z would spell it.
        #expect(Self.g1([4] + [UInt8](repeating: 0, count: 95) + [1]) == .notOnCurve)
        #expect(Self.g1([0xc0] + [UInt8](repeating: 0, count: 96)) == .wrongPrefix)
    }

    @Test func `a point off the curve is refused`() {
        for index in [48, 96] {
            var bytes = Samples.g1GeneratorBytes
            bytes[index] ^= 1
            #expect(Self.g1(bytes) == .notOnCurve)
        }
        for index in [47, 95, 143, 191] {
            var bytes = G2Point.generator.encoded
            bytes[index] ^= 1
            #expect(Self.g2(bytes) == .notOnCurve)
        }
        // The order of the parts of a coordinate matters.
        let g2 = G2Point.generator.encoded
        #expect(Self.g2(Array(g2[48..<96] + g2[..<48] + g2[144...] + g2[96..<144])) == .notOnCurve)
    }

    @Test func `a point of the curve outside the subgroup is refused`() {
        #expect(Self.g1(Samples.g1Order3) == .notInSubgroup && Self.g1(Samples.g1Order11) == .notInSubgroup)
        #expect(Self.g2(Samples.g2Order13) == .notInSubgroup && Self.g2(Samples.g2WithCofactor) == .notInSubgroup)
    }

    @Test func `a point of the subgroup plus one of small order is refused`() {
        var generator = SeededGenerator(41)
        let small = [Samples.g1Order3, Samples.g1Order11].map { bytes in
            G1Point(
                point: ProjectivePoint(
                    x: Fp.read(bytes[1..<49]).value, y: Fp.read(bytes[49...]).value, z: .one))
        }
        let small2 = G2Point(
            point: ProjectivePoint(
                x: Fp2.read(Samples.g2Order13[..<96]).value, y: Fp2.read(Samples.g2Order13[96...]).value, z: .one))
        for _ in 0..<10 {
            for torsion in small { #expect(Self.g1((generator.g1() + torsion).encoded) == .notInSubgroup) }
            #expect(Self.g2((generator.g2() + small2).encoded) == .notInSubgroup)
        }
    }

    @Test func `mutated bytes never stop a decoder, and what it accepts it writes the same way`() throws {
        var generator = SeededGenerator(42)
        var accepted = 0
        for round in 0..<3_000 {
            let (first, second, third) = (
                Mutation.mutate(Samples.g1GeneratorBytes, using: &generator),
                Mutation.mutate(G2Point.generator.encoded, using: &generator),
                Mutation.mutate(Samples.minusOne.encoded, using: &generator)
            )
            if Self.g1(first) == nil {
                accepted += 1
                #expect(try G1Point(encoded: first).encoded == first, "round \(round)")
            }
            if Self.g2(second) == nil {
                accepted += 1
                #expect(try G2Point(encoded: second).encoded == second, "round \(round)")
            }
            if Self.scalar(third) == nil {
                accepted += 1
                #expect(try Scalar(encoded: third).encoded == third, "round \(round)")
            }
        }
        #expect(accepted > 100, "the mutations left nothing to accept")
    }
}
