import Foundation

/// A stream to write to, and what it can show.
struct Output: Sendable {
    let terminal: Terminal
    private let sink: @Sendable (String) -> Void

    init(terminal: Terminal, sink: @escaping @Sendable (String) -> Void) {
        self.terminal = terminal
        self.sink = sink
    }

    /// For data.
    static func standardOutput() -> Output { Output(descriptor: 1) }
    /// For words and progress.
    static func standardError() -> Output { Output(descriptor: 2) }

    private init(descriptor: Int32) {
        self.init(terminal: Terminal(descriptor: descriptor)) { text in
            // Nobody reads any more when this fails (`tenure … | head`); there is nobody to tell.
            try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
        }
    }

    /// Writes the text as it is.
    func write(_ text: String) { sink(text) }

    /// Writes a line.
    func line(_ text: String = "") { sink(text + "\n") }
}
