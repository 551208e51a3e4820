import Keys

extension Settings {
    /// The master keys, from a file or from the environment; a file is read again when a rotation has added a version.
    func masterKeyStore(remedy: String? = nil) throws -> MasterKeyStore {
        if let text = text(.masterKeys) {
            guard self.text(.masterKeyFile) == nil else {
                throw CommandFailure(
                    .usage, "\(Name.masterKeyFile.variable) and \(Name.masterKeys.variable) are both set",
                    remedy: "Unset one: two sources of master keys can contradict each other.")
            }
            return MasterKeyStore(try MasterKeys(environment: text))
        }
        return try MasterKeyStore(file: MasterKeyFile(path: try required(.masterKeyFile, remedy: remedy)))
    }

    /// The file of the master keys, for what changes them; refuses keys that come from the environment.
    func masterKeyFile() throws -> MasterKeyFile {
        guard text(.masterKeys) == nil else {
            throw CommandFailure(
                .usage, "the master keys come from \(Name.masterKeys.variable), which no command can change",
                remedy: """
                    Write its value into a file of mode 0600, set \(Name.masterKeyFile.variable) to it instead, unset \
                    \(Name.masterKeys.variable), and restart the service.
                    """)
        }
        return MasterKeyFile(path: try required(.masterKeyFile))
    }
}
