/// Files that are compiled into the program by a C target that `scripts/embed` wrote.
public struct EmbeddedFiles: Sendable {
    private let files: [(name: String, bytes: [UInt8])]

    /// Copies the files of a C target.
    ///
    /// - Parameters: The constants of the target: how many files there are, and their names, bytes and sizes. The names
    ///   end at NUL. All live as long as the process.
    public init(
        count: Int, names: UnsafePointer<UnsafePointer<CChar>?>, bytes: UnsafePointer<UnsafePointer<UInt8>?>,
        sizes: UnsafePointer<Int>
    ) {
        files = (0..<count).compactMap { index in
            guard let name = unsafe names[index], let start = unsafe bytes[index] else { return nil }
            let content = unsafe UnsafeBufferPointer(start: start, count: sizes[index])
            return unsafe (String(cString: name), Array(content))
        }
    }

    /// The content of a file. Every name is written down beside what asks for it, and a test reads each.
    public subscript(name: String) -> [UInt8] {
        guard let file = files.first(where: { $0.name == name }) else { preconditionFailure("\(name) is not embedded") }
        return file.bytes
    }

    /// The files in a folder, by their names in it, in their order.
    public func files(in folder: String) -> [(name: String, bytes: [UInt8])] {
        files.filter { $0.name.hasPrefix(folder + "/") }
            .map { (String($0.name.dropFirst(folder.utf8.count + 1)), $0.bytes) }
    }
}
