/// A number as signed texts write it: ASCII digits without sign or leading zero.
enum DecimalNumber {
    /// The number, or nil for any other spelling and for numbers that a position cannot be.
    static func parse(_ text: some StringProtocol) -> Int64? {
        guard (1...19).contains(text.utf8.count), let number = Int64(text), number >= 0,
            String(number).utf8.elementsEqual(text.utf8)
        else { return nil }
        return number
    }
}
