import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A blinded element as it came in, checked before anything is charged for it.
///
/// Sendable although the library's element does not say so: it is a struct of an immutable point that is stored once and
/// only read afterwards, so that no two threads ever change anything of it.
public struct BlindedElement: @unchecked Sendable, Hashable {
    /// The copy that its evaluation is for.
    public let slot: CopySlot
    /// The compressed point, 49 bytes.
    public let bytes: [UInt8]
    /// The point: finding it took a square root, which the evaluation need not take again.
    let point: P384._VOPRF.BlindedElement

    /// Takes exactly one compressed point on P-384; the point at infinity has no such form.
    ///
    /// - Throws: ``CredentialsError/Code/elementInvalid``.
    public init(slot: CopySlot, bytes: [UInt8]) throws(CredentialsError) {
        guard P384Point.hasForm(bytes), let point = try? P384._VOPRF.BlindedElement(oprfRepresentation: Data(bytes))
        else { throw CredentialsError(.elementInvalid) }
        self.slot = slot
        self.bytes = bytes
        self.point = point
    }

    /// The same copy and the same bytes.
    public static func == (left: BlindedElement, right: BlindedElement) -> Bool {
        left.slot == right.slot && left.bytes == right.bytes
    }

    /// By copy and bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(slot)
        hasher.combine(bytes)
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
