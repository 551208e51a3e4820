import ArgumentParser

/// What the exit codes of `tenure` mean; scripts rely on them, so a number never changes.
extension ExitCode {
    /// 2: the person at the terminal or a signal stopped the command before it was done.
    static let cancelled = ExitCode(2)
    /// 3: an entry, a hash, a signature or a checkpoint does not fit.
    static let integrityViolation = ExitCode(3)
    /// 4: the caller may not do that.
    static let notPermitted = ExitCode(4)
    /// 5: a view differs from what the log says.
    static let drift = ExitCode(5)
    /// 6: the named company, employee, app or position does not exist.
    static let notFound = ExitCode(6)
    /// 64: the arguments make no sense (`EX_USAGE`).
    static let usage = ExitCode(64)
    /// 69: a server or a program that is needed cannot be reached (`EX_UNAVAILABLE`).
    static let unreachable = ExitCode(69)
    /// 75: somebody else is doing it; try again (`EX_TEMPFAIL`).
    static let busy = ExitCode(75)
}
