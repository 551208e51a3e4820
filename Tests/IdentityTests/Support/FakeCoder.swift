import Canonical
import Identity
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// "Seals" a text by writing pointer and text side by side, so that golden files are the same on every run and a
/// member sealed for another place is refused.
struct FakeCoder: PersonalDataCoder {
    var erased: Set<UUID> = []

    func seal(_ personal: Personal, at pointer: String) throws -> JSONValue {
        let text = try #require(personal.text)
        return .object(["k": .uuid(personal.owner), "c": .bytes(Array("\(pointer)|\(text)".utf8))])
    }

    func open(_ value: JSONValue, at pointer: String) throws -> Personal {
        var reader = try ObjectReader(value, at: pointer)
        let owner = try reader.uuid("k")
        let text = String(decoding: try reader.bytes("c"), as: UTF8.self)
        try reader.finish()
        guard text.hasPrefix(pointer + "|") else {
            throw JSONError(code: .invalidValue, pointer: pointer, reason: "sealed for another place")
        }
        return Personal(owner: owner, text: erased.contains(owner) ? nil : String(text.dropFirst(pointer.count + 1)))
    }
}
