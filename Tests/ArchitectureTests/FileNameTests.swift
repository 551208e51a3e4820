import Testing

/// A type lives in the file of its name, with the small types that belong to it.
@Suite struct FileNameTests {
    /// The ends of names of files that hold several types of one kind.
    private static let families = ["Events", "Requests", "Responses", "Steps", "Values", "Views"]

    @Test func `a file has the name of a type that it declares or extends`() throws {
        let files = try Checkout.sources().map(\.file)
        #expect(files.count > 500, "the sources were not found")
        #expect(files.filter { !isNamed($0) }.map(\.path) == [])
    }

    @Test func `no file of a type lies in two folders of a target`() throws {
        let files = try Checkout.sources().map { target, file in "\(target)/\(stem(file))" }
        let twice = Dictionary(grouping: files, by: \.self).filter { $0.value.count > 1 }.keys
        #expect(twice.sorted() == [])
    }

    @Test(
        arguments: [
            ("Call.swift", "struct Call {}\nstruct Caller {}", true), ("Calls.swift", "struct Call {}", false),
            ("CallEvents.swift", "struct Began {}\nstruct Ended {}", true),
            ("CallEvents.swift", "struct Ended {}", false),
            ("Call+Time.swift", "extension Call {\n}\nstruct Time {}", true),
            ("Call+Time.swift", "extension Caller {\n}", false), ("Call+Time.swift", "extension Call.Time {\n}", true),
            ("CallTimes.swift", "extension Call {\n}", false), ("Call.swift", "private struct Call {}", false),
        ])
    func `the check knows the name of a file by its types`(name: String, text: String, fits: Bool) {
        #expect(isNamed(Checkout.File(path: "Sources/Target/\(name)", text: text)) == fits)
    }

    /// Whether the file declares the type of its name; or extends the type before the plus of its name; or holds at
    /// least two types of one kind.
    private func isNamed(_ file: Checkout.File) -> Bool {
        let name = stem(file), declared = file.lines.compactMap(TypeLine.name)
        if declared.contains(name) { return true }
        if let plus = name.firstIndex(of: "+") {
            return file.lines.contains { extended(in: $0) == name[..<plus] }
        }
        return declared.count > 1 && Self.families.contains(where: name.hasSuffix)
    }

    private func stem(_ file: Checkout.File) -> String {
        String((file.path.split(separator: "/").last ?? "").dropLast(".swift".count))
    }

    /// The type that a line begins to extend, without what is nested in it.
    private func extended(in line: Substring) -> Substring? {
        line.firstMatch(of: /^(?:@\w+ )*(?:(?:public|package|private|fileprivate) )*extension (\w+)/)?.output.1
    }
}
