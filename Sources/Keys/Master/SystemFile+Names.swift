import Canonical

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension SystemFile {
    /// Gives a file a second name; false when that name is taken.
    static func link(_ existing: String, to name: String) throws(KeysError) -> Bool {
        if linkFile(existing, name) == 0 { return true }
        if errno == EEXIST { return false }
        throw failure("link", name)
    }

    /// Gives a file another name and takes the name from whatever had it.
    static func rename(_ existing: String, to name: String) throws(KeysError) {
        guard renameFile(existing, name) == 0 else { throw failure("rename", name) }
    }

    /// Takes a name away; one that is gone already is as good.
    static func remove(_ name: String) { _ = unlink(name) }

    /// The path behind symbolic links, so that replacing a file does not replace a link to it.
    static func resolved(_ path: String) throws(KeysError) -> String {
        guard let resolved = realpath(path, nil) else { throw failure("open", path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Makes a new name in a directory last through a crash.
    static func syncDirectory(of path: String) throws(KeysError) {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
        let directory = try open(name.isEmpty ? "/" : name, .reading)
        defer { directory.close() }
        try directory.sync()
    }

    /// Sixteen random hexadecimal digits.
    static func uniqueSuffix() -> String {
        var random = SystemRandomNumberGenerator()
        return Hex.encode((0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
}

// The methods above hide the functions of the same name.
private func linkFile(_ existing: String, _ name: String) -> Int32 { link(existing, name) }
private func renameFile(_ existing: String, _ name: String) -> Int32 { rename(existing, name) }
