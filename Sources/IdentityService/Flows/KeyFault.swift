/// A reason for `employee.key_invalid`, in words for the caller: the code is about a device key and about a signature.
enum KeyFault: Sendable, Equatable {
    /// The key is written as a SubjectPublicKeyInfo (RFC 5480), as most libraries write public keys.
    case subjectPublicKeyInfo
    /// The key is a compressed point.
    case compressed
    /// The key has another number of bytes.
    case length(Int)
    /// The bytes are no point of the curve.
    case noPoint
    /// The signature is over the base64 text of the challenge.
    case signatureOverText
    /// The signature does not verify.
    case signatureInvalid

    /// The header of a SubjectPublicKeyInfo of a P-256 key, before the 65 bytes of the point.
    private static let header: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// Why bytes are no device key.
    init(_ bytes: [UInt8]) {
        self =
            switch bytes.count {
            case 91 where bytes.starts(with: Self.header): .subjectPublicKeyInfo
            case 33 where bytes[0] == 2 || bytes[0] == 3: .compressed
            case 65: .noPoint
            default: .length(bytes.count)
            }
    }

    /// The fault as a member of a refusal.
    var member: ServiceError.Member {
        switch self {
        case .signatureOverText, .signatureInvalid: .init(pointer: "/keyProof", detail: detail)
        default: .init(pointer: "/employeePublicKey", detail: detail)
        }
    }

    private var detail: String {
        switch self {
        case .subjectPublicKeyInfo:
            "a SubjectPublicKeyInfo of 91 bytes was sent: send its last 65 bytes, the X9.63 point"
        case .compressed: "a compressed point of 33 bytes was sent: send the uncompressed point of 65 bytes"
        case .length(let count): "an uncompressed X9.63 point of 65 bytes is expected, and \(count) bytes were sent"
        case .noPoint: "the 65 bytes are not an uncompressed point on P-256: 4, then both coordinates"
        case .signatureOverText:
            "the signature is over the base64 text of the challenge: decode the challenge and sign its bytes"
        case .signatureInvalid:
            "the signature is not one of employeePublicKey over the decoded bytes of the flow's challenge"
        }
    }
}
