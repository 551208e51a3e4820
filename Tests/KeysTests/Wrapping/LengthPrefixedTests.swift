import Testing

@testable import Keys

@Suite struct LengthPrefixedTests {
    @Test func `every part has its length before it`() {
        var list = LengthPrefixed(tag: "t")
        list.append([1, 2, 3] as [UInt8])
        list.append("é")
        list.append(number: 258)
        #expect(
            list.bytes == [
                0, 0, 0, 1, 0x74, 0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 2, 0xC3, 0xA9, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2,
            ])
    }

    @Test func `parts cannot be moved between neighbours`() {
        func list(_ parts: String...) -> [UInt8] {
            var list = LengthPrefixed(tag: "t")
            for part in parts { list.append(part) }
            return list.bytes
        }
        let all = [
            list("ab", "c"), list("a", "bc"), list("abc"), list("abc", ""), list("", "abc"), list("a", "b", "c"),
        ]
        #expect(Set(all).count == all.count)
    }
}
