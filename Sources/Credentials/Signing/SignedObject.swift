public import Canonical

/// An object that is signed as a tag line and the canonical JSON (RFC 8785) of its members.
///
/// Its kinds write every value and refuse when they read, so that an object can be compared before it is checked.
public protocol SignedObject: FlatObject, Hashable where Context == Void {
    /// The code that refuses an object of another form.
    static var malformed: CredentialsError.Code { get }
    var tag: SignatureTag { get }
    /// Checks what one member asks of another, after the table has checked each alone.
    ///
    /// - Throws: ``malformed`` with the name of the first member that does not fit.
    func checkTogether() throws(CredentialsError)
}

extension SignedObject {
    /// The exact bytes to sign: tag, newline, canonical JSON.
    public var bytes: [UInt8] { tag.line + json.canonicalBytes() }

    var json: JSONValue {
        guard let json = try? Self.members.write(self) else {
            preconditionFailure("\(Self.members.name) has a member whose kind does not write every value")
        }
        return json
    }

    /// Checks that the object can be signed: it can be read as it is written.
    ///
    /// - Throws: ``malformed`` with the name of the first member out of range.
    public func check() throws(CredentialsError) { _ = try Self(json, tag) }

    /// No member asks anything of another.
    public func checkTogether() throws(CredentialsError) {}

    /// Refuses the object because of a member, unless a condition is true.
    func require(_ condition: Bool, _ field: String) throws(CredentialsError) {
        guard condition else { throw CredentialsError(Self.malformed, field: field) }
    }

    /// Reads the exact bytes. It refuses what ``bytes`` does not write, so that the fields shown are the fields signed.
    init(exactly bytes: [UInt8], _ tag: SignatureTag) throws(CredentialsError) {
        try self.init(kept: bytes, tag)
        guard self.bytes == bytes else { throw CredentialsError(Self.malformed) }
    }

    /// Reads bytes from trusted storage.
    init(kept bytes: [UInt8], _ tag: SignatureTag) throws(CredentialsError) {
        let content = try tag.content(of: bytes)
        guard let json = try? CanonicalJSON.parse(content) else { throw CredentialsError(Self.malformed) }
        try self.init(json, tag)
    }

    private init(_ json: JSONValue, _ tag: SignatureTag) throws(CredentialsError) {
        do throws(JSONError) {
            self = try Self.members.read(json)
        } catch {
            // The name of an unknown member is not ours to repeat.
            let name = error.code == .unknownMember ? nil : error.pointer.split(separator: "/").first
            throw CredentialsError(Self.malformed, field: name.map(String.init))
        }
        try require(self.tag == tag, "action")
        try checkTogether()
    }
}

/// The kinds of signed objects write every value, and refuse when they read.
extension MemberKind<[UInt8]> {
    /// 32 bytes.
    static var hash: MemberKind {
        .bytes(32...32, "32 bytes are expected", parse: { $0.count == 32 ? $0 : nil }, bytes: { $0 })
    }
}

extension MemberKind<Commitment> {
    static var commitment: MemberKind {
        .bytes(32...32, "32 bytes are expected", parse: { try? Value(bytes: $0) }, bytes: \.bytes)
    }
}

extension MemberKind<Int64> {
    /// The number of entries of a ledger.
    static var size: MemberKind { .number(0...JSONValue.integerRange.upperBound) }
}

extension MemberKind<String> {
    /// 1 to 64 characters A–Z a–z 0–9 `.` `_` `-`.
    static var code: MemberKind {
        .text(.string(format: "code"), "a code is expected", parse: { $0.isCodeName ? $0 : nil }, text: { $0 })
    }

    /// The name of a service: 1 to 255 bytes of UTF-8.
    static var issuer: MemberKind {
        .text(
            .string(format: "text"), "1 to 255 bytes are expected",
            parse: { (1...255).contains($0.utf8.count) ? $0 : nil }, text: { $0 })
    }
}

extension MemberKind where Value: SigningPublicKey {
    static var key: MemberKind {
        .bytes(65...65, "a public key is expected", parse: { try? Value(bytes: $0) }, bytes: \.bytes)
    }

    /// A key that may have been validated before it was stored, see ``SigningPublicKey/init(kept:)``.
    static var keptKey: MemberKind {
        .bytes(65...65, "a public key is expected", parse: { try? Value(kept: $0) }, bytes: \.bytes)
    }
}

extension MemberKind where Value: DevicePublicKey {
    static var key: MemberKind {
        .bytes(65...256, "a public key is expected", parse: { try? Value(bytes: $0) }, bytes: \.bytes)
    }

    /// A key that may have been validated before it was stored, see ``SigningPublicKey/init(kept:)``.
    static var keptKey: MemberKind {
        .bytes(65...256, "a public key is expected", parse: { try? Value(kept: $0) }, bytes: \.bytes)
    }
}

extension MemberKind<[String]> {
    /// Texts in ascending order without repetition.
    static func sorted(
        _ count: ClosedRange<Int>, _ reason: String, _ isValid: @escaping @Sendable (String) -> Bool
    ) -> MemberKind {
        MemberKind(.array(.string(format: "code"), count: count)) { (json, place) throws(JSONError) in
            let texts = try json.strings(at: place)
            guard count.contains(texts.count), zip(texts, texts.dropFirst()).allSatisfy({ $0 < $1 }),
                texts.allSatisfy(isValid)
            else { throw place.invalid(reason) }
            return texts
        } write: { (texts, _) in
            .array(texts.map(JSONValue.string))
        }
    }

    /// 1 to 32 fingerprints, each of 64 lower-case hexadecimal digits.
    static var fingerprints: MemberKind {
        sorted(1...32, "sorted fingerprints are expected") { Hex.decode($0)?.count == 32 && $0 == $0.lowercased() }
    }
}
