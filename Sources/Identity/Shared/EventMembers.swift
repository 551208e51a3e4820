package import Canonical
import Text

/// The members of an event, or of a part of one, as the log has them.
package typealias EventMembers<Object> = MemberTable<Object, any PersonalDataCoder>

extension MemberKind where Value == String {
    /// An unencrypted name.
    static var name: MemberKind { text(format: "name", "a text of another size is expected") { fits($0) } }

    /// A domain name in A-labels, as ``Text/DomainName/ascii`` writes it.
    static var aLabel: MemberKind {
        text(format: "a-label", "A-labels are expected") { fits($0) && DomainName($0)?.ascii == $0 }
    }

    private static func text(
        format: String, _ reason: String, _ isValid: @escaping @Sendable (String) -> Bool
    ) -> MemberKind {
        MemberKind(.string(format: format)) { (json, place) throws(JSONError) in
            let text = try json.string(at: place)
            guard isValid(text) else { throw place.invalid(reason) }
            return text
        } write: { (text, place) throws(JSONError) in
            guard isValid(text) else { throw place.invalid(reason) }
            return .string(text)
        }
    }

    private static func fits(_ text: String) -> Bool {
        EventLimits.name.contains(text.utf8.count) && !text.utf8.contains(0)
    }
}

extension MemberKind where Value == Int {
    /// A number of attempts.
    static var count: MemberKind { integer(EventLimits.count) }
}

extension MemberKind where Value == Int64 {
    /// A position in a ledger, from 1.
    static var position: MemberKind { integer(1...Int(JSONValue.integerRange.upperBound)) }
}

extension MemberKind where Value == [KeyFingerprint] {
    /// Sorted fingerprints without repetition, at least one.
    static var fingerprints: MemberKind {
        let count = 1...EventLimits.fingerprints
        @Sendable func check(_ texts: [String], at place: MemberPlace) throws(JSONError) {
            guard count.contains(texts.count), zip(texts, texts.dropFirst()).allSatisfy({ $0 < $1 }) else {
                throw place.invalid("sorted fingerprints are expected")
            }
        }
        return MemberKind(.array(KeyFingerprint.memberKind.description, count: count)) {
            (json, place) throws(JSONError) in
            let texts = try json.strings(at: place)
            let values = texts.compactMap { KeyFingerprint(hex: $0) }
            guard values.count == texts.count else { throw place.invalid("sorted fingerprints are expected") }
            try check(texts, at: place)
            return values
        } write: { (values, place) throws(JSONError) in
            let texts = values.map(\.description)
            try check(texts, at: place)
            return .array(texts.map(JSONValue.string))
        }
    }
}
