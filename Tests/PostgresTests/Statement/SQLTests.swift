import Testing

@testable import Postgres

struct SQLTests {
    @Test func `each value becomes a numbered parameter`() {
        let sql: SQL = "SELECT \(1), \("two") WHERE \(true)"
        #expect(sql.text == "SELECT $1, $2 WHERE $3")
        #expect(sql.parameters.types == [.int8, .text, .bool])
    }

    @Test func `a parameter never merges with adjacent text`() {
        let number = 5
        #expect(("LIMIT\(number)" as SQL).text == "LIMIT $1")
        #expect(("\(number)0" as SQL).text == "$1 0")
        #expect(("\(number)\(number)" as SQL).text == "$1 $2")
        #expect(("é\(number)é" as SQL).text == "é $1 é")
        #expect(("(\(number),\(number))" as SQL).text == "($1,$2)")
    }

    @Test func `fragments keep their values in order`() {
        let condition: SQL = "a = \(1) AND b = \("x")"
        let sql: SQL = "SELECT \(true) WHERE \(condition) LIMIT \(Int32(9))"
        #expect(sql.text == "SELECT $1 WHERE a = $2 AND b = $3 LIMIT $4")
        #expect(sql.parameters.types == [.bool, .int8, .text, .int4])
        #expect(sql.parameters.ranges == [0..<1, 1..<9, 9..<10, 10..<14])
    }

    @Test func `raw text and quoted names are not parameters`() {
        let sql: SQL = "SELECT \(unsafeSQL: "now()") FROM \(identifier: #"a"b"#)"
        #expect(sql.text == #"SELECT now() FROM "a""b""#)
        #expect(sql.parameters.types.isEmpty)
    }

    @Test func `nil is NULL of its type`() {
        let sql: SQL = "SELECT \(nil as String?), \("" as String?)"
        #expect(sql.parameters.types == [.text, .text])
        #expect(sql.parameters.ranges == [nil, 0..<0])
    }

    @Test func `the description shows no values`() {
        let sql: SQL = "SELECT \("secret")"
        #expect(!"\(sql)".contains("secret"))
    }

    @Test func `a value that cannot be encoded fails the check, even inside a fragment`() {
        let fragment: SQL = "\("a\0")"
        let sql: SQL = "SELECT \(fragment)"
        #expect(throws: PostgresError.self) { try sql.parameters.check() }
        #expect(throws: PostgresError.self) { try ("\0" as SQL).checkedText() }
    }

    @Test func `more parameters than the protocol counts are refused`() throws {
        var parameters = Parameters()
        for _ in 0..<65_535 { parameters.append(true) }
        try parameters.check()
        parameters.append(true)
        #expect(throws: PostgresError.self) { try parameters.check() }
    }
}
