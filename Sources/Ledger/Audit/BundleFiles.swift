#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import FoundationEssentials

/// The files of a bundle: regular files under one directory, never reached through a link.
///
/// This program builds all paths from identifiers and numbers; nothing in a bundle becomes a path. Calls block on the
/// file system. Only commands handle bundles, and they have nothing else to do.
struct BundleFiles: Sendable {
    let directory: String

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Creates a directory inside the bundle, with its parents. Existing directories are fine.
    func makeDirectories(_ name: String) throws(ProofError) {
        var made = directory
        for part in name.split(separator: "/") {
            made += "/\(part)"
            guard mkdir(made, 0o777) == 0 || errno == EEXIST else {
                throw Self.failure("a directory cannot be created")
            }
        }
    }

    /// Writes a new file. It is an error if the file exists.
    func write(_ bytes: [UInt8], to name: String) throws(ProofError) {
        let file = try create(name)
        defer { close(file) }
        try Self.write(bytes, to: file)
    }

    /// Opens a new file for writing; the caller closes it.
    func create(_ name: String) throws(ProofError) -> Int32 {
        let file = systemOpen(path(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw Self.failure("a file cannot be created") }
        return file
    }

    static func write(_ bytes: [UInt8], to file: Int32) throws(ProofError) {
        var place = 0
        while place < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                systemWrite(file, buffer.baseAddress.map { $0 + place }, buffer.count - place)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("a file cannot be written") }
            place += count
        }
    }

    /// Opens a regular file that is not a link; the caller closes it.
    func open(reading name: String) throws(ProofError) -> (file: Int32, size: Int) {
        let file = systemOpen(path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ProofError(.bundleInvalid, "the bundle's file \(name) is missing or unreadable")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw ProofError(.bundleInvalid, "the bundle's \(name) is not a regular file")
        }
        return (file, Int(status.st_size))
    }

    /// Returns the content of a file of at most `limit` bytes.
    func read(_ name: String, limit: Int) throws(ProofError) -> [UInt8] {
        let (file, size) = try open(reading: name)
        defer { close(file) }
        guard size <= limit else { throw ProofError(.bundleInvalid, "the bundle's \(name) is too large") }
        var bytes: [UInt8] = []
        while let block = try Self.read(file, upTo: size + 1 - bytes.count), bytes.count + block.count <= size {
            bytes += block
        }
        guard bytes.count == size else {
            throw ProofError(.bundleInvalid, "the bundle's \(name) changed while it was read")
        }
        return bytes
    }

    /// Reads the next bytes of a file. Returns `nil` at its end.
    static func read(_ file: Int32, upTo limit: Int) throws(ProofError) -> [UInt8]? {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: max(limit, 1)) { buffer, filled in
                count = systemRead(file, buffer.baseAddress, buffer.count)
                filled = max(count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("a file cannot be read") }
            return count == 0 ? nil : bytes
        }
    }

    /// The names directly inside the bundle's directory.
    func names() throws(ProofError) -> Set<String> {
        guard let stream = opendir(directory) else { throw Self.failure("there is no such directory") }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.insert(name) }
        }
        return names
    }

    static func failure(_ reason: String) -> ProofError {
        ProofError(.fileFailed, "\(reason): \(String(cString: strerror(errno)))")
    }
}

// The system functions under names of their own: `write`, `read` and `open` are methods here.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
    Glibc.write(file, bytes, count)
    #elseif canImport(Musl)
    Musl.write(file, bytes, count)
    #elseif canImport(Darwin)
    Darwin.write(file, bytes, count)
    #endif
}

private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
    Glibc.read(file, bytes, count)
    #elseif canImport(Musl)
    Musl.read(file, bytes, count)
    #elseif canImport(Darwin)
    Darwin.read(file, bytes, count)
    #endif
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    #if canImport(Glibc)
    Glibc.open(path, flags, mode)
    #elseif canImport(Musl)
    Musl.open(path, flags, mode)
    #elseif canImport(Darwin)
    Darwin.open(path, flags, mode)
    #endif
}

/// Removes a directory that this process created.
enum DirectoryRemoval {
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
