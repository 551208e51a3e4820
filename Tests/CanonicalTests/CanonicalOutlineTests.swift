import Canonical
import Testing

@Suite struct CanonicalOutlineTests {
    private func outline(_ text: String) -> CanonicalOutline? { CanonicalOutline(Array(text.utf8)) }

    /// The names and values that an outline finds.
    private func members(_ bytes: [UInt8]) -> [String]? {
        CanonicalOutline(bytes).map { outline in
            outline.members.map { member in
                String(decoding: bytes[member.name], as: UTF8.self) + "="
                    + String(decoding: bytes[member.value], as: UTF8.self)
            }
        }
    }

    @Test func `members are found at their offsets`() {
        #expect(members(Array("{}".utf8)) == [])
        #expect(
            members(Array(#"{"":-1,"a":[],"aa":[{"b":"}"},true,[0]],"b":{"a":{}},"c":false}"#.utf8))
                == ["=-1", "a=[]", #"aa=[{"b":"}"},true,[0]]"#, #"b={"a":{}}"#, "c=false"])
    }

    @Test(arguments: [
        "", "[]", "1", "{", "{}x", " {}", "{ }", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1"b":2}"#,
        #"{"b":1,"a":1}"#,
        #"{"a":1,"a":1}"#, #"{"ab":1,"a":1}"#, #"{"a":01}"#, #"{"a":-0}"#, #"{"a":-}"#, #"{"a":1.0}"#, #"{"a":1e2}"#,
        #"{"a":null}"#, #"{"a":tru}"#, #"{"a":[1,]}"#, #"{"a":[1}"#, #"{"a":"\u0041"}"#, #"{"a":"x}"#,
        "{\"a\":\"\u{1}\"}",
        #"{"a":{"b":1,"a":1}}"#, #"{"a":9007199254740992}"#, #"{a:1}"#, #"{"a":'b'}"#,
    ])
    func `non-canonical bytes are refused`(text: String) {
        #expect(outline(text) == nil)
    }

    @Test func `depth and length are limited`() {
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"a":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
        }
        #expect(outline(nested(32)) != nil)
        #expect(outline(nested(33)) == nil)
        let siblings = (10..<99).map { #""\#($0)":[[]]"# }.joined(separator: ",")
        #expect(outline("{\(siblings)}") != nil)
        let bytes = Array(#"{"a":1}"#.utf8)
        #expect(CanonicalOutline(bytes, limits: StrictJSON.Limits(bytes: bytes.count)) != nil)
        #expect(CanonicalOutline(bytes, limits: StrictJSON.Limits(bytes: bytes.count - 1)) == nil)
    }

    /// Values and damaged values: what the outline accepts has to be what the parser accepts, member by member.
    @Test(arguments: UInt64(1)...40)
    func `the outline refuses everything that the parser refuses`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let spare = Array(#"{}[]",:0-1atrue\"#.utf8) + [0x00, 0x20, 0x7F, 0x80, 0xC3, 0xA9, 0xFF]
        var accepted = 0
        for _ in 0..<400 {
            let members = (0..<4).map { ("m\($0)", JSONValue.random(depth: 3, using: &generator).plain) }
            var bytes = JSONValue.object(Dictionary(uniqueKeysWithValues: members)).canonicalBytes()
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = spare[Int.random(in: 0..<spare.count, using: &generator)]
                case 1: bytes.insert(spare[Int.random(in: 0..<spare.count, using: &generator)], at: place)
                default: bytes.remove(at: place)
                }
            }
            guard let outline = CanonicalOutline(bytes) else { continue }
            accepted += 1
            let value = try CanonicalJSON.parse(bytes)
            guard case .object(let parsed) = value else {
                Issue.record("an outline of something else than an object")
                continue
            }
            #expect(parsed.count == outline.members.count)
            for member in outline.members {
                let name = String(decoding: bytes[member.name], as: UTF8.self)
                #expect(parsed[name] == (try? CanonicalJSON.parse(bytes[member.value])))
            }
        }
        #expect(accepted > 20)
    }
}

extension JSONValue {
    /// The same value with texts in ASCII that need no escape.
    fileprivate var plain: JSONValue {
        switch self {
        case .string(let text): .string(Self.plain(text))
        case .array(let elements): .array(elements.map(\.plain))
        case .object(let members):
            .object(Dictionary(members.map { (Self.plain($0), $1.plain) }, uniquingKeysWith: { first, _ in first }))
        default: self
        }
    }

    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.map { (0x23..<0x5C).contains($0.value) ? Character($0) : "x" })
    }
}
