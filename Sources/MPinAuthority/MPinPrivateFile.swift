import PrivateFiles

/// The private files of a D-TA, with its errors.
///
/// Symbolic links are followed, because mounts of secrets consist of them.
enum MPinPrivateFile {
    /// The longest file that is read, in bytes. The list of issued identities has no limit.
    private static let largest = 65_536

    /// Reads a whole file.
    ///
    /// - Throws: ``MPinAuthorityError/Code/missing``, ``MPinAuthorityError/Code/unusable``,
    ///   ``MPinAuthorityError/Code/malformed`` for a file that is too long, and ``MPinAuthorityError/Code/exposed`` with
    ///   a remedy that names the command to run.
    static func read(_ path: String) throws(MPinAuthorityError) -> [UInt8] {
        try using { () throws(PrivateFileError) in try PrivateFile.read(path, .secret, atMost: largest) }
    }

    /// Writes a file completely, on disk, with mode 0600, or not at all.
    ///
    /// - Throws: ``MPinAuthorityError/Code/exists`` if anything exists at the path.
    static func create(_ path: String, _ bytes: [UInt8]) throws(MPinAuthorityError) {
        let isNew = try using { () throws(PrivateFileError) in try PrivateFile.create(path, bytes, .secret) }
        guard isNew else { throw MPinAuthorityError(.exists, "\(path) exists and is never overwritten") }
    }

    /// Creates a directory with mode 0700 if there is none, and checks one that exists.
    ///
    /// - Parameter creates: Whether a missing directory is created.
    static func prepareDirectory(_ path: String, creates: Bool) throws(MPinAuthorityError) {
        do throws(PrivateFileError) {
            try creates ? OwnedDirectory.prepare(path, .secret) : OwnedDirectory.check(path, .secret)
        } catch {
            switch error.code {
            case .missing, .irregular:
                throw MPinAuthorityError(
                    .missing, "there is no directory \(path)",
                    remedy: "Create the D-TA: tenure dta init --directory '\(path)'")
            case .exposed:
                throw MPinAuthorityError(.exposed, "\(path) \(error.reason)", remedy: "Run: chmod 700 '\(path)'")
            default: throw MPinAuthorityError(error)
            }
        }
    }

    /// Runs work on a file and gives its errors the codes of a D-TA.
    static func using<Result>(
        _ work: () throws(PrivateFileError) -> Result
    ) throws(MPinAuthorityError) -> Result {
        do { return try work() } catch { throw MPinAuthorityError(error) }
    }
}

extension MPinAuthorityError {
    fileprivate init(_ error: PrivateFileError) {
        let reason = "\(error.path) \(error.reason)"
        switch error.code {
        case .missing: self.init(.missing, "there is no file \(error.path)")
        case .exposed: self.init(.exposed, reason, remedy: "Run: chmod 600 '\(error.path)'")
        case .tooLarge: self.init(.malformed, reason)
        case .irregular, .link: self.init(.unusable, reason)
        case .foreign, .busy, .lockless, .system: self.init(.unusable, reason, remedy: error.remedy)
        }
    }
}
