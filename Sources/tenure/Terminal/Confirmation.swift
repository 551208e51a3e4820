import Foundation

/// Asks a person to type what is about to be destroyed.
enum Confirmation {
    /// Returns when the line that was typed is the expected one.
    ///
    /// - Throws: ``CommandFailure`` with exit code 64 when nobody can be asked, and with 2 for anything else typed.
    static func ask(
        _ question: String, expecting answer: String, _ words: Output, input: Terminal = Terminal(descriptor: 0),
        read: () -> String? = { readLine(strippingNewline: true) }
    ) throws {
        guard input.isInteractive else {
            throw CommandFailure(.usage, "nobody can be asked here", remedy: "Say --yes.")
        }
        words.write(Printable.text(question))
        // By bytes: strings that merely look alike are not the same name.
        guard let typed = read(), typed.utf8.elementsEqual(answer.utf8) else {
            throw CommandFailure(.cancelled, "that is something else; nothing was changed")
        }
    }
}
