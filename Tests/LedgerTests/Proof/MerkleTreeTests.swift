import Canonical
import Testing
@testable import Ledger

/// Vectors: the empty root is the hash of nothing; the leaf of nothing and the eight leaves are the published examples
/// of RFC 6962 implementations; the recursive definition of §2.1 checks everything else.
@Suite struct MerkleTreeTests {
    static let inputs = [
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
    ]
    static let roots = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]

    /// RFC 6962 §2.1, word by word.
    static func definition(_ leaves: ArraySlice<[UInt8]>) -> [UInt8] {
        guard let first = leaves.first else { return MerkleTree.emptyRoot }
        if leaves.count == 1 { return first }
        var split = 1
        while split * 2 < leaves.count { split *= 2 }
        return MerkleTree.nodeHash(definition(leaves.prefix(split)), definition(leaves.dropFirst(split)))
    }

    @Test func `the root of an empty tree is the hash of no bytes`() {
        #expect(
            Hex.encode(MerkleTree.emptyRoot) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(MerkleTree.root(leaves: []) == MerkleTree.emptyRoot)
    }

    @Test func `the roots match published ones`() throws {
        var leaves: [[UInt8]] = []
        for (input, root) in zip(Self.inputs, Self.roots) {
            leaves.append(MerkleTree.leafHash(try #require(Hex.decode(input))))
            #expect(Hex.encode(MerkleTree.root(leaves: leaves)) == root)
        }
    }

    @Test func `the root follows the definition for every size up to 300`() {
        var frontier = MerkleFrontier()
        var leaves: [[UInt8]] = []
        for number in 0..<300 {
            #expect(frontier.size == Int64(leaves.count))
            #expect(frontier.root == Self.definition(leaves[...]))
            let leaf = MerkleTree.leafHash([UInt8(number & 255), UInt8(number >> 8)])
            leaves.append(leaf)
            frontier.append(leaf)
        }
    }

    @Test func `subtrees give the same root as their leaves`() throws {
        let leaves = (0..<700).map { MerkleTree.leafHash([UInt8($0 & 255), UInt8($0 >> 8)]) }
        var frontier = MerkleFrontier()
        for start in [0, 256] {
            let tile = try #require(MerkleTile(hashes: Array(leaves[start..<start + 256])))
            frontier.append(subtree: tile.root, height: MerkleTile.height)
        }
        for leaf in leaves[512...] { frontier.append(leaf) }
        #expect(frontier.size == 700)
        #expect(frontier.root == MerkleTree.root(leaves: leaves))
    }

    @Test func `a tile has exactly 256 hashes of 32 bytes`() {
        let hash = [UInt8](repeating: 7, count: 32)
        #expect(MerkleTile(hashes: Array(repeating: hash, count: 255)) == nil)
        #expect(MerkleTile(hashes: Array(repeating: hash, count: 257)) == nil)
        #expect(MerkleTile(hashes: Array(repeating: hash, count: 255) + [[1]]) == nil)
        #expect(MerkleTile(hashes: Array(repeating: hash, count: 256)) != nil)
    }
}

@Suite struct TilePathTests {
    @Test(arguments: [
        ("tile/0/000", TilePath(.hashes(level: 0), index: 0)),
        ("tile/0/x001/x234/067", TilePath(.hashes(level: 0), index: 1_234_067)),
        ("tile/2/000.p/1", TilePath(.hashes(level: 2), index: 0, width: 1)),
        ("tile/entries/x001/000.p/255", TilePath(.entries, index: 1_000, width: 255)),
    ])
    func `a tile path round-trips`(text: String, path: TilePath?) {
        #expect(path?.description == text)
        #expect(TilePath(text) == path)
    }

    @Test(arguments: [
        "", "tile", "tile/0", "tile/0/", "tile/0/0", "tile/00/000", "tile/-1/000", "tile/+1/000", "tile/7/000",
        "tile/0/0000", "tile/0/x000/001", "tile/0/001/000", "tile/0/y001/000", "tile/0/000.p/0", "tile/0/000.p/256",
        "tile/0/000.p/01", "tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/1/2", "tile/entry/000", "/tile/0/000",
        "tile/0/000/", "tile/0/x001.p/12", "tile/0/x-01/000", "tile/0/+01", "tile/entries/x999/x999/x999/x999/x999/999",
    ])
    func `another spelling of a tile path is refused`(text: String) { #expect(TilePath(text) == nil) }

    /// The example of C2SP tlog-tiles: 70,000 entries.
    @Test func `a log of 70,000 entries has the expected tile paths`() {
        let leaves = TilePath.all(.hashes(level: 0), size: 70_000)
        #expect(leaves.count == 274 && leaves.last?.width == 112)
        let first = TilePath.all(.hashes(level: 1), size: 70_000)
        #expect(first.map(\.width) == [256, 17])
        #expect(TilePath.all(.hashes(level: 2), size: 70_000).map(\.width) == [1])
        #expect(TilePath.all(.hashes(level: 3), size: 70_000).isEmpty)
        #expect(TilePath.all(.hashes(level: 1), size: 256).map(\.description) == ["tile/1/000.p/1"])
        #expect(TilePath.all(.entries, size: 0).isEmpty)
    }

    @Test func `an entry bundle round-trips, and a truncated one is refused`() throws {
        let entries = [[], [7], [UInt8](repeating: 9, count: 65_535)]
        let bytes = EntryBundle.encode(entries)
        #expect(try EntryBundle.decode(bytes) == entries)
        #expect(Array(bytes.prefix(5)) == [0, 0, 0, 1, 7])
        for length in [1, 3, 4, 6, bytes.count - 1] {
            #expect(throws: ProofError.self) { try EntryBundle.decode(Array(bytes.prefix(length))) }
        }
    }
}
