/// The reason why a key could not be made, found or used.
package struct KeysError: Error, Sendable, Equatable, CustomStringConvertible {
    package let code: Code
    /// The reason in one sentence, without a secret, a path or a value.
    package let reason: String
    /// What the operator can do, for the operator's terminal or log. It may name a path.
    package let remedy: String?

    /// An error with its reason; `reason` must be safe to show to anyone.
    package init(code: Code, reason: String, remedy: String? = nil) {
        self.code = code
        self.reason = reason
        self.remedy = remedy
    }

    package var description: String { "\(code): \(reason)" }
}

extension KeysError {
    /// The stable identifier of a failure. More may be added.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `keys.wrong_master_key`.
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package var description: String { rawValue }

        /// There is no master key file at the path.
        package static let masterFileMissing = Code(rawValue: "keys.master_file_missing")
        /// A master key file already exists, and is never overwritten.
        package static let masterFileExists = Code(rawValue: "keys.master_file_exists")
        /// Group or others may read or write the master key file.
        package static let masterFileExposed = Code(rawValue: "keys.master_file_exposed")
        /// The system refused to read or write the master key file.
        package static let masterFileUnusable = Code(rawValue: "keys.master_file_unusable")
        /// The master keys do not have the documented form.
        package static let masterKeysInvalid = Code(rawValue: "keys.master_keys_invalid")
        /// A row is wrapped under a version that the master keys do not hold.
        package static let masterVersionUnknown = Code(rawValue: "keys.master_version_unknown")
        /// A row cannot be unwrapped with the master key of its version.
        package static let wrongMasterKey = Code(rawValue: "keys.wrong_master_key")
        /// A wrapped key was changed, moved to another row, or is wrapped under another key.
        package static let wrappingInvalid = Code(rawValue: "keys.wrapping_invalid")
        /// Encrypted bytes were changed, moved to another place, or are encrypted under another key.
        package static let sealInvalid = Code(rawValue: "keys.seal_invalid")
        /// A value does not have the form of encrypted personal data.
        package static let sealMalformed = Code(rawValue: "keys.seal_malformed")
        /// The cipher refused to work.
        package static let cipherFailed = Code(rawValue: "keys.cipher_failed")
        package static let purposeKeyMissing = Code(rawValue: "keys.purpose_key_missing")
        package static let bucketKeyMissing = Code(rawValue: "keys.bucket_key_missing")
        /// The log has events, but the tables of the keys that wrote them are empty.
        package static let keyTablesEmpty = Code(rawValue: "keys.tables_empty")
        /// The stored keys are not those that wrote the log.
        package static let wrongKeys = Code(rawValue: "keys.wrong_keys")
        /// The erase list cannot be read or written.
        package static let erasureListUnusable = Code(rawValue: "keys.erasure_list_unusable")
        /// A person on the erase list has a key: a backup from before the erasure was restored.
        package static let erasedReturned = Code(rawValue: "keys.erased_returned")
        /// A key is still wrapped under a version that was to be destroyed.
        package static let masterVersionInUse = Code(rawValue: "keys.master_version_in_use")
        /// Not everything could be rewrapped, so nothing was changed.
        package static let rekeyingIncomplete = Code(rawValue: "keys.rekeying_incomplete")
    }
}
