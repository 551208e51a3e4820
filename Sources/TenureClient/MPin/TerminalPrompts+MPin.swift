import MPinCryptography

extension TerminalPrompts {
    /// Asks for a PIN at the terminal, without echo.
    ///
    /// - Returns: The entry; empty if the person cancelled by pressing Enter.
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/promptUnavailable``; `CancellationError`.
    public func pin() async throws -> String { try await Self.hiddenLine("PIN: ") }

    /// Asks for a new PIN twice, without echo, until both entries are the same 4 to 8 digits.
    ///
    /// - Returns: The PIN; empty if the person cancelled by pressing Enter.
    /// - Throws: As ``pin()``.
    public func newPIN() async throws -> String {
        while true {
            let first = try await Self.hiddenLine("New PIN, 4 to 8 digits: ")
            guard !first.isEmpty else { return "" }
            guard (try? MPinPIN(first)) != nil else {
                TerminalText.say("A PIN has 4 to 8 digits, 0 to 9.")
                continue
            }
            if try await Self.hiddenLine("Once more: ") == first { return first }
            TerminalText.say("The two entries differ. Enter both again.")
        }
    }

    private static func hiddenLine(_ prompt: String) async throws -> String {
        guard let line = try await TerminalLine.read(prompt, hidden: true) else { throw CancellationError() }
        return line
    }
}
