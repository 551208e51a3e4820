#if TLS
import NIOSSL
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of a certificate chain and its private key, both in PEM.
package struct CertificateFiles: Sendable {
    /// The file with the chain, the server's own certificate first.
    package let chain: String
    /// The file with the private key.
    package let key: String

    /// Names the files. Nothing is read yet.
    package init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }

    /// Reads both files and checks that a server can use them together.
    ///
    /// - Returns: The time in seconds since 1970 after which the server's own certificate is no longer valid.
    /// - Throws: ``CertificateFailure`` that names the file and what is wrong with it.
    @discardableResult
    package func check() throws(CertificateFailure) -> Int {
        #if TLS
        try checkContent()
        #else
        throw CertificateFailure(TLSBuild.reason, remedy: TLSBuild.remedy)
        #endif
    }

    #if TLS
    private func checkContent() throws(CertificateFailure) -> Int {
        let certificates = try Self.readable(chain, as: "certificate") {
            try NIOSSLCertificate.fromPEMBytes($0.bytes)
        }
        guard let own = certificates.first else {
            throw CertificateFailure("\(chain) has no certificate in PEM", remedy: Self.form)
        }
        let isEncrypted = try Self.readable(key, as: "private key") { $0.isEncrypted }
        guard !isEncrypted else {
            throw CertificateFailure(
                "the private key in \(key) is encrypted, and the service has no passphrase",
                remedy: "Decrypt it: openssl pkey -in \(key) -out FILE, with mode 0600.")
        }
        let secret = try Self.readable(key, as: "private key") { try NIOSSLPrivateKey(bytes: $0.bytes, format: .pem) }
        let pair = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(secret))
        do { _ = try NIOSSLContext(configuration: pair) } catch {
            throw CertificateFailure(
                "the private key in \(key) is not that of the first certificate in \(chain)",
                remedy: "Name the key that the certificate was made for, and put the server's own certificate first.")
        }
        return Int(own.notValidAfter)
    }

    private static let form = "Both files are in PEM; the chain has the server's own certificate first."

    /// Reads a file, or says why it cannot be read.
    private static func readable<Content>(
        _ path: String, as kind: String, _ read: (PEMBlocks) throws -> Content
    ) throws(CertificateFailure) -> Content {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw CertificateFailure(
                "the \(kind) file \(path) cannot be read: \(reason)",
                remedy: "Correct the path, or let the user of the service read the file.")
        }
        close(descriptor)
        let file = PEMBlocks.content(of: path)
        guard !PEMBlocks.isUTF16(file) else {
            throw CertificateFailure(
                "\(path) begins with the byte order mark of UTF-16, and PEM is ASCII",
                remedy: "Write it anew: iconv -f UTF-16 -t ASCII \(path)")
        }
        guard let blocks = PEMBlocks(file), let content = try? read(blocks) else {
            throw CertificateFailure("\(path) has no \(kind) in PEM", remedy: form)
        }
        return content
    }
    #endif
}

/// The reason why a certificate cannot be used.
package struct CertificateFailure: Error, Sendable, Equatable {
    /// What is wrong, with the path of the file.
    package let reason: String
    /// What to do next.
    package let remedy: String

    init(_ reason: String, remedy: String) {
        self.reason = reason
        self.remedy = remedy
    }
}
