public import Canonical
import Text

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reads the typed members of an event's `data`. The caller finishes it.
struct EventReader<Coder: PersonalDataCoder> {
    private var object: ObjectReader
    private let coder: Coder

    init(_ data: JSONValue, _ coder: Coder) throws(JSONError) {
        object = try ObjectReader(data, at: "/data")
        self.coder = coder
    }

    func finish() throws(JSONError) { try object.finish() }

    mutating func id<Subject>(_ name: String) throws(JSONError) -> Identifier<Subject> {
        Identifier(try object.uuid(name))
    }

    mutating func uuid(_ name: String) throws(JSONError) -> UUID { try object.uuid(name) }

    mutating func bool(_ name: String) throws(JSONError) -> Bool { try object.bool(name) }

    mutating func count(_ name: String) throws(JSONError) -> Int {
        Int(try object.integer(name, in: Int64(EventLimits.count.lowerBound)...Int64(EventLimits.count.upperBound)))
    }

    mutating func key(_ name: String) throws(JSONError) -> PublicKeyBytes { try object.publicKey(name) }

    mutating func signature(_ name: String) throws(JSONError) -> SignatureBytes { try object.signature(name) }

    mutating func bytes32(_ name: String) throws(JSONError) -> Bytes32 {
        guard let value = Bytes32(try object.bytes(name)) else {
            throw object.invalid(name, "32 bytes are expected")
        }
        return value
    }

    mutating func bytes(_ name: String, _ limit: ClosedRange<Int>) throws(JSONError) -> [UInt8] {
        try object.bytes(name, limit)
    }

    mutating func text(_ name: String) throws(JSONError) -> String {
        guard let text = try optionalText(name) else {
            throw JSONError(code: .missingMember, pointer: object.pointer(of: name), reason: "a member is missing")
        }
        return text
    }

    mutating func optionalText(_ name: String) throws(JSONError) -> String? {
        guard let text = try object.optionalString(name) else { return nil }
        guard EventLimits.name.contains(text.utf8.count), !text.utf8.contains(0) else {
            throw object.invalid(name, "a text of another size is expected")
        }
        return text
    }

    /// A domain name in A-labels, as ``Text/DomainName/ascii`` writes it.
    mutating func aLabel(_ name: String) throws(JSONError) -> String {
        let text = try text(name)
        guard DomainName(text)?.ascii == text else { throw object.invalid(name, "A-labels are expected") }
        return text
    }

    mutating func fingerprint(_ name: String) throws(JSONError) -> KeyFingerprint {
        guard let value = KeyFingerprint(hex: try object.string(name)) else {
            throw object.invalid(name, "64 lower-case hexadecimal digits are expected")
        }
        return value
    }

    mutating func optionalFingerprint(_ name: String) throws(JSONError) -> KeyFingerprint? {
        guard let text = try object.optionalString(name) else { return nil }
        guard let value = KeyFingerprint(hex: text) else {
            throw object.invalid(name, "64 lower-case hexadecimal digits are expected")
        }
        return value
    }

    mutating func reason(_ name: String) throws(JSONError) -> ReasonCode {
        guard let value = ReasonCode(try object.string(name)) else {
            throw object.invalid(name, "a reason code is expected")
        }
        return value
    }

    mutating func roles(_ name: String) throws(JSONError) -> RoleSet {
        guard let value = RoleSet(names: try object.strings(name)) else {
            throw object.invalid(name, "sorted names of roles are expected")
        }
        return value
    }

    mutating func resource(_ name: String) throws(JSONError) -> ResourceIndicator {
        guard let value = try? ResourceIndicator(try object.string(name)) else {
            throw object.invalid(name, "an absolute URI is expected")
        }
        return value
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int>) throws(JSONError) -> Int {
        Int(try object.integer(name, in: Int64(range.lowerBound)...Int64(range.upperBound)))
    }

    /// Reads sorted fingerprints without repetition, at least one.
    mutating func fingerprints(_ name: String) throws(JSONError) -> [KeyFingerprint] {
        let texts = try object.strings(name)
        let values = texts.compactMap { KeyFingerprint(hex: $0) }
        guard values.count == texts.count, (1...EventLimits.fingerprints).contains(values.count),
            zip(texts, texts.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw object.invalid(name, "sorted fingerprints are expected") }
        return values
    }

    mutating func time(_ name: String) throws(JSONError) -> Timestamp { try object.timestamp(name) }

    mutating func optionalTime(_ name: String) throws(JSONError) -> Timestamp? { try object.optionalTimestamp(name) }

    mutating func one<Value: RawRepresentable<String>>(_ name: String) throws(JSONError) -> Value {
        guard let value = Value(rawValue: try object.string(name)) else {
            throw object.invalid(name, "another word is expected")
        }
        return value
    }

    mutating func optionalOne<Value: RawRepresentable<String>>(_ name: String) throws(JSONError) -> Value? {
        guard let text = try object.optionalString(name) else { return nil }
        guard let value = Value(rawValue: text) else { throw object.invalid(name, "another word is expected") }
        return value
    }

    mutating func recipient(_ name: String) throws(JSONError) -> MailRecipient {
        var reader = try object.object(name)
        let recipient = try MailRecipient(reading: &reader)
        try reader.finish()
        return recipient
    }

    /// Reads an array of objects, each to its end.
    mutating func objects<Value>(
        _ name: String, _ limit: ClosedRange<Int>, _ read: (inout ObjectReader) throws(JSONError) -> Value
    ) throws(JSONError) -> [Value] {
        let readers = try object.objects(name)
        guard limit.contains(readers.count) else {
            throw object.invalid(name, "another number of elements is expected")
        }
        var values: [Value] = []
        for var reader in readers {
            values.append(try read(&reader))
            try reader.finish()
        }
        return values
    }

    mutating func authority() throws(JSONError) -> Authority {
        var reader = try object.object("by")
        let authority = try Authority(reading: &reader)
        try reader.finish()
        return authority
    }

    mutating func personal(_ name: String) throws -> Personal {
        try coder.open(try object.value(name), at: object.pointer(of: name))
    }

    mutating func optionalPersonal(_ name: String) throws -> Personal? {
        guard let value = object.optionalValue(name) else { return nil }
        return try coder.open(value, at: object.pointer(of: name))
    }
}

extension ObjectReader {
    mutating func publicKey(_ name: String) throws(JSONError) -> PublicKeyBytes {
        guard let value = PublicKeyBytes(try bytes(name)) else {
            throw invalid(name, "an uncompressed point of 65 bytes is expected")
        }
        return value
    }

    mutating func signature(_ name: String) throws(JSONError) -> SignatureBytes {
        guard let value = SignatureBytes(try bytes(name)) else { throw invalid(name, "64 bytes are expected") }
        return value
    }

    mutating func bytes(_ name: String, _ limit: ClosedRange<Int>) throws(JSONError) -> [UInt8] {
        let value = try bytes(name)
        guard limit.contains(value.count) else { throw invalid(name, "another number of bytes is expected") }
        return value
    }
}

/// A personal text, encrypted in the log under its owner's key and unreadable once the key is destroyed.
public struct Personal: Sendable, Equatable {
    /// The id of the user or employee whose key encrypts the text, which is also the key's id.
    public var owner: UUID
    /// The text; `nil` once erased.
    public var text: String?

    /// Each parameter sets the property of the same name.
    public init(owner: UUID, text: String?) {
        self.owner = owner
        self.text = text
    }

    /// A personal text of an employee.
    public init(_ owner: EmployeeID, _ text: String?) { self.init(owner: owner.uuid, text: text) }

    /// A personal text of a user.
    public init(_ owner: UserID, _ text: String?) { self.init(owner: owner.uuid, text: text) }

    /// Whether owner and text are equal; texts are compared as bytes.
    public static func == (left: Personal, right: Personal) -> Bool {
        guard left.owner == right.owner else { return false }
        switch (left.text, right.text) {
        case (nil, nil): return true
        case (let a?, let b?): return a.utf8.elementsEqual(b.utf8)
        default: return false
        }
    }
}

/// Encrypts and decrypts the personal members of one event. Ledger and event are bound as associated data.
public protocol PersonalDataCoder {
    /// Encrypts the member at a JSON pointer of the entry, such as `/data/email`.
    ///
    /// - Throws: The error of the implementation.
    func seal(_ personal: Personal, at pointer: String) throws -> JSONValue
    /// Decrypts the member at a JSON pointer. The text is `nil` if the key is destroyed.
    ///
    /// - Throws: The error of the implementation.
    func open(_ value: JSONValue, at pointer: String) throws -> Personal
}
