import Canonical
import Credentials
import Hogweed
import Testing

/// The other multiplication, swift-crypto's, is what every answer is held against.
@Suite struct HogweedMultiplicationTests {
    private let tables = HogweedMultiplication()
    private let other = CryptoMultiplication()

    @Test func `the products of 2,000 random scalars are those of the other multiplication`() {
        var products = 0
        for _ in 0..<2_000 {
            let scalar = Scalars.random(), product = tables.compressedPoint(of: scalar)
            #expect(product == other.compressedPoint(of: scalar), "\(Hex.encode(scalar))")
            if product?.count == 49 { products += 1 }
        }
        // One in 2^190 is refused.
        #expect(products == 2_000)
    }

    @Test func `one gives the generator, and the order less one its negative`() throws {
        let x = "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7"
        let last = Scalars.difference(try Scalars.order(), Scalars.small(1))
        #expect(tables.compressedPoint(of: Scalars.small(1)).map(Hex.encode) == "03" + x)
        #expect(tables.compressedPoint(of: last).map(Hex.encode) == "02" + x)
    }

    /// A table's method adds multiples of the generator; where two of them met, an incomplete addition would be wrong.
    @Test func `scalars of one bit, and those short of the order by one bit, are multiplied rightly`() throws {
        let order = try Scalars.order()
        for exponent in 0..<384 {
            let power = Scalars.power(exponent)
            for scalar in [power, Scalars.difference(order, power), Scalars.difference(power, Scalars.small(1))]
            where scalar != Scalars.zero {
                let product = tables.compressedPoint(of: scalar)
                #expect(product != nil && product == other.compressedPoint(of: scalar), "\(Hex.encode(scalar))")
            }
        }
    }

    @Test func `two, three and what lies just below the order are taken`() throws {
        let order = try Scalars.order()
        for distance in UInt8(1)...40 {
            for scalar in [Scalars.small(distance), Scalars.difference(order, Scalars.small(distance))] {
                let product = tables.compressedPoint(of: scalar)
                #expect(product != nil && product == other.compressedPoint(of: scalar), "\(Hex.encode(scalar))")
            }
        }
    }

    @Test func `zero, the order and everything above are refused, by both`() throws {
        let order = try Scalars.order()
        var refused = [Scalars.zero, order, Scalars.allOnes]
        refused += (UInt8(1)...40).map {
            Scalars.difference(order, Scalars.difference(Scalars.zero, Scalars.small($0)))
        }
        // From 2^384 − 2^189 up; the order is about 2^384 − 2^190.
        refused += (0..<190).map { Scalars.difference(Scalars.zero, Scalars.power($0)) }
        for scalar in refused {
            #expect(tables.compressedPoint(of: scalar) == nil, "\(Hex.encode(scalar))")
            #expect(other.compressedPoint(of: scalar) == nil, "\(Hex.encode(scalar))")
        }
    }

    @Test(arguments: [0, 1, 24, 47, 49, 64, 96]) func `a scalar of another length is refused, by both`(count: Int) {
        for byte in [UInt8(0), 1, 0xff] {
            let scalar = [UInt8](repeating: byte, count: count)
            #expect(tables.compressedPoint(of: scalar) == nil)
            #expect(other.compressedPoint(of: scalar) == nil)
        }
    }

    @Test func `many tasks at once get the products that one alone gets`() async throws {
        let scalars = (0..<512).map { $0 % 16 == 0 ? Scalars.zero : Scalars.random() }
        let expected = scalars.map { other.compressedPoint(of: $0) }
        #expect(expected.count { $0 == nil } == 32)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for start in 0..<32 {
                group.addTask {
                    // Each starts at another place, so that different scalars meet.
                    (0..<scalars.count).count { step in
                        let index = (start * 16 + step) % scalars.count
                        return tables.compressedPoint(of: scalars[index]) != expected[index]
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
