#if TLS
import NIOSSL

/// A certificate chain and the key of its first certificate.
struct CertificatePair: Sendable, Equatable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// The end of the first certificate, in seconds since 1970.
    var end: Int { chain.first.map { Int($0.notValidAfter) } ?? 0 }

    var configuration: TLSConfiguration { ServerTLS.configuration(chain: chain, key: key) }

    /// Reads two PEM files.
    init(chainFile: String, keyFile: String) throws(ServerCertificateError) {
        guard let blocks = PEMBlocks(PEMBlocks.content(of: chainFile)),
            let chain = try? NIOSSLCertificate.fromPEMBytes(blocks.bytes), !chain.isEmpty
        else {
            throw ServerCertificateError(code: .certificateUnreadable)
        }
        // Without the callback an encrypted key would be asked for at the terminal.
        let key = PEMBlocks(PEMBlocks.content(of: keyFile)).flatMap { blocks in
            try? NIOSSLPrivateKey(bytes: blocks.bytes, format: .pem) { (_: NIOSSLPassphraseSetter<[UInt8]>) in
                throw ServerCertificateError(code: .keyUnreadable)
            }
        }
        guard let key else { throw ServerCertificateError(code: .keyUnreadable) }
        self.chain = chain
        self.key = key
        // The library compares the key with the certificate.
        guard (try? NIOSSLContext(configuration: configuration)) != nil else {
            throw ServerCertificateError(code: .mismatch)
        }
    }
}
#else
/// What a build without TLS has of a certificate: nothing, because it cannot use one.
struct CertificatePair: Sendable, Equatable {
    let end: Int

    /// Throws ``ServerCertificateError/Code/notBuilt``.
    init(chainFile: String, keyFile: String) throws(ServerCertificateError) {
        throw ServerCertificateError(code: .notBuilt)
    }
}
#endif
