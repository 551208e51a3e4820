import Testing

@testable import tenure

@Suite struct TableTests {
    let plain = Terminal(isInteractive: false, width: 80, environment: [:])

    @Test func `columns are aligned and no line ends in a space`() {
        var table = Table([.init(title: "name"), .init(title: "keys", alignment: .right), .init(title: "state")])
        table.add(["anna", "2", "approved"])
        table.add(["b", "10"])
        #expect(
            table.rendered(on: plain) == """
                NAME  KEYS  STATE
                anna     2  approved
                b       10

                """)
    }

    @Test func `wide and combining characters keep the columns straight`() {
        var table = Table([.init(title: "company"), .init(title: "n")])
        table.add(["日本", "1"])
        table.add(["Zoe\u{0301}", "2"])
        #expect(table.rendered(on: plain) == "COMPANY  N\n日本     1\nZoe\u{0301}      2\n")
    }

    @Test func `a name cannot move the cursor or turn a line around`() {
        var table = Table([.init(title: "name")])
        table.add(["evil\u{1B}[2J\n\u{202E}txt"])
        #expect(table.rendered(on: plain) == "NAME\nevil\\u{1b}[2J\\u{a}\\u{202e}txt\n")
    }

    @Test func `a harmless name is printed as it is`() {
        #expect(Printable.text("Größe 東京 👩‍👩‍👧 ✓") == "Größe 東京 👩‍👩‍👧 ✓")
    }

    @Test(arguments: [("", 0), ("abc", 3), ("é", 1), ("한국", 4), ("👩‍👩‍👧", 2), ("ｱ", 1), ("Ａ", 2)])
    func `a text takes as many columns as a terminal gives it`(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }
}
