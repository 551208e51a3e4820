import Canonical
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct `Objects written member by member` {
    @Test func `have the same bytes as the encoded value`() {
        var generator = SeededGenerator(seed: 14)
        for _ in 0..<500 {
            let value = JSONValue.random(depth: 3, using: &generator)
            let ids = (0..<Int.random(in: 0...3, using: &generator)).map { _ in UUID() }
            let time = Timestamp(microseconds: Int64.random(in: -60_000_000_000_000_000...250_000_000_000_000_000))
            let number = Int.random(in: -(1 << 40)..<(1 << 40))
            var object = CanonicalObject(reservingCapacity: 16)
            object.add("any", value)
            object.add("id", UUID(uuid: (0xAB, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xFF)))
            object.add("ids", ids)
            object.add("number", number)
            object.add("stream", UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)), after: "kind/")
            object.add("text", "a\"b\\c\n\u{1}é😀")
            object.add("time", time)
            let expected: JSONValue = [
                "any": value, "id": "ab000102-0304-0506-0708-090a0b0c0dff", "ids": .array(ids.map(JSONValue.uuid)),
                "number": .integer(Int64(number)), "stream": "kind/00010203-0405-0607-0809-0a0b0c0d0e0f",
                "text": "a\"b\\c\n\u{1}é😀", "time": .timestamp(time),
            ]
            #expect(object.finish() == expected.canonicalBytes())
            #expect(Timestamp(time.description) == time)
        }
        #expect(CanonicalObject(reservingCapacity: 0).finish() == Array("{}".utf8))
    }
}
