import Testing

@testable import tenure

@Suite struct TableFittingTests {
    private let id = "00000000-0000-4000-8000-000000000001"

    private func table() -> Table {
        var table = Table([.init(title: "check"), .init(title: "n", alignment: .right), .init(title: "detail")])
        table.add(["views", "1", "stopped at position 7 of a company, so that reads are old"])
        return table
    }

    private func terminal(_ width: Int) -> Terminal {
        Terminal(isInteractive: true, width: width, environment: ["NO_COLOR": "1"])
    }

    @Test func `a table that fits is the same on a terminal and in a pipe`() {
        let pipe = Terminal(isInteractive: false, width: 10, environment: [:])
        #expect(table().rendered(on: terminal(120)) == table().rendered(on: pipe))
    }

    @Test func `output that is no terminal is never wrapped`() {
        let pipe = Terminal(isInteractive: false, width: 10, environment: [:])
        #expect(table().rendered(on: pipe).split(separator: "\n").count == 2)
    }

    @Test func `the widest column wraps between words until the table fits`() {
        #expect(
            table().rendered(on: terminal(36)) == """
                CHECK  N  DETAIL
                views  1  stopped at position 7 of a
                          company, so that reads are
                          old

                """)
    }

    @Test(arguments: 20...80)
    func `no line of a wrapped table is wider than the terminal`(width: Int) {
        let lines = table().rendered(on: terminal(width)).split(separator: "\n")
        #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= width })
    }

    @Test func `words that are too long for the columns turn rows into blocks`() {
        var table = Table([.init(title: "app"), .init(title: "name"), .init(title: "secret")])
        table.add([id, "portal", id])
        table.add([id, "", "none"])
        #expect(
            table.rendered(on: terminal(60)) == """
                APP     \(id)
                NAME    portal
                SECRET  \(id)

                APP     \(id)
                SECRET  none

                """)
    }

    @Test(arguments: [10, 36, 60, 200]) func `no width loses data`(width: Int) {
        var table = table()
        table.add([id, "12", "日本 Größe"])
        let text = table.rendered(on: terminal(width))
        for word in ["views", "stopped", "position", "old", id, "12", "日本", "Größe"] {
            #expect(text.contains(word), "\(word)")
        }
    }

    @Test func `wide characters count two columns when a cell wraps`() {
        #expect(WrappedText.lines("日本 日本 日本", width: 9) == ["日本 日本", "日本"])
        #expect(WrappedText.lines("", width: 0) == [""])
    }
}
