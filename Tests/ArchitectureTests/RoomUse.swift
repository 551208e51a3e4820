/// A type of one room that a file of another room names.
struct RoomUse: Hashable, CustomStringConvertible {
    let room: String
    /// The room that declares the type.
    let below: String
    let type: String
    let path: String

    var description: String { "\(path): \(room) may not name \(type) of \(below)" }

    /// Finds the uses in the files of a target whose folders are its rooms.
    ///
    /// A name after a full stop is a member of another type. Comments name what they like.
    static func all(in files: [Checkout.File]) -> [RoomUse] {
        let rooms = files.map { (file: $0, room: room(of: $0)) }
        var declared: [String: String] = [:]
        for (file, room) in rooms {
            for name in file.lines.compactMap(TypeLine.name) { declared[name] = room }
        }
        return rooms.flatMap { file, room in
            names(in: file).sorted().compactMap { name in
                guard let below = declared[name], below != room else { return nil }
                return RoomUse(room: room, below: below, type: name, path: file.path)
            }
        }
    }

    /// The folder below the target's.
    static func room(of file: Checkout.File) -> String {
        file.path.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
    }

    private static func names(in file: Checkout.File) -> Set<String> {
        Set(
            file.lines.flatMap { line in
                let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
                return code.matches(of: /(?:^|[^.\w])([A-Z]\w+)/).map { String($0.output.1) }
            })
    }
}
