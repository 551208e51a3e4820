/// Arithmetic on 64-bit limbs with explicit carries, as straight-line code.
///
/// Each function keeps the result of `multipliedFullWidth` whole and takes carries from comparisons, because the
/// optimizer turns this spelling into the shortest code.
enum Limbs {
    /// Returns the low limb of `t + a·b + carry` and replaces `carry` with the high limb.
    @inline(__always) static func multiplyAdd(
        _ t: UInt64, _ a: UInt64, _ b: UInt64, _ carry: inout UInt64
    ) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        let partial = product.low &+ t
        let sum = partial &+ carry
        let first: UInt64 = partial < t ? 1 : 0
        let second: UInt64 = sum < carry ? 1 : 0
        carry = product.high &+ first &+ second
        return sum
    }

    /// Returns the low limb of `a + b + carry` and replaces `carry` with 0 or 1.
    @inline(__always) static func add(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
        let partial = a &+ b
        let sum = partial &+ carry
        let first: UInt64 = partial < a ? 1 : 0
        let second: UInt64 = sum < carry ? 1 : 0
        carry = first | second
        return sum
    }

    /// Returns the low limb of `a − b − borrow` and replaces `borrow` with 0 or 1.
    @inline(__always) static func subtract(_ a: UInt64, _ b: UInt64, _ borrow: inout UInt64) -> UInt64 {
        let partial = a &- b
        let difference = partial &- borrow
        let first: UInt64 = a < b ? 1 : 0
        let second: UInt64 = partial < borrow ? 1 : 0
        borrow = first | second
        return difference
    }

    /// Returns all ones if the top bit of `limb` is set, and zero otherwise.
    ///
    /// Masks come from the sign of a top limb and never from a borrow: the compiler turned masks of borrows into
    /// branches.
    @inline(__always) static func signMask(_ limb: UInt64) -> UInt64 {
        UInt64(bitPattern: Int64(bitPattern: limb) >> 63)
    }

    /// The same as ``signMask(_:)`` in a function of its own.
    ///
    /// Where the compiler sees that a mask is one of two values, it may still choose between two paths. It does not look
    /// through this call. Memcheck shows where that is needed (`make memcheck`).
    @inline(never) static func separateSignMask(_ limb: UInt64) -> UInt64 { signMask(limb) }

    /// Returns all ones if `limb` is zero, and zero otherwise.
    @inline(__always) static func zeroMask(_ limb: UInt64) -> UInt64 { ~separateSignMask(limb | (0 &- limb)) }

    /// Returns `chosen` if `mask` is all ones, and `otherwise` if it is zero.
    @inline(__always) static func select(_ chosen: UInt64, _ otherwise: UInt64, _ mask: UInt64) -> UInt64 {
        otherwise ^ ((otherwise ^ chosen) & mask)
    }

    /// Returns the limb in eight big-endian bytes at `offset`, which the caller has checked.
    static func load(_ bytes: some RandomAccessCollection<UInt8>, at offset: Int) -> UInt64 {
        bytes.dropFirst(offset).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Appends the limb as eight big-endian bytes.
    static func store(_ limb: UInt64, in bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: limb >> shift))
        }
    }
}
