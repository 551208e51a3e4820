/// A blinded element as it came in, checked before anything is charged for it.
public struct BlindedElement: Sendable, Hashable {
    /// The copy that its evaluation is for.
    public let slot: CopySlot
    /// The compressed point, 49 bytes.
    public let bytes: [UInt8]

    /// Takes exactly one compressed point on P-384; the point at infinity has no such form.
    ///
    /// - Throws: ``CredentialsError/Code/elementInvalid``.
    public init(slot: CopySlot, bytes: [UInt8]) throws(CredentialsError) {
        guard P384Point.isCompressed(bytes) else { throw CredentialsError(.elementInvalid) }
        self.slot = slot
        self.bytes = bytes
    }
}

extension OPRFKeys {
    /// Evaluates an element under the key of its slot and proves it; about 1.8 ms.
    ///
    /// - Returns: Evaluated element (49) ‖ proof (96).
    /// - Throws: ``CredentialsError/Code/elementInvalid``.
    public func evaluate(_ element: BlindedElement) throws(CredentialsError) -> [UInt8] {
        try key(for: element.slot).evaluate(element)
    }
}
