import Testing

@Suite struct ErrorCodeTests {
    @Test func `every declared error code is listed, in order, and has the name of its text`() throws {
        let source = try #require(Checkout.file("Sources/ErrorCodes/ErrorCode.swift")).text
        let declared = source.matches(of: /static let (\w+) = ErrorCode\(\s*"([a-z_.]+)"/)
            .map { (name: String($0.1), code: String($0.2)) }
        #expect(declared.count > 70)
        for (name, code) in declared {
            #expect(name.lowercased() == code.filter { $0 != "." && $0 != "_" }, "\(name) is \(code)")
        }
        let list = try #require(source.firstMatch(of: /all: \[ErrorCode\] = \[([^\]]*)\]/)).1
        #expect(list.matches(of: /\.(\w+)/).map { String($0.1) } == declared.map(\.name))
    }
}
