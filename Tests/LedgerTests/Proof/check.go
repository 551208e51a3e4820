// Checks a tiled log, inclusion proofs and consistency proofs with golang.org/x/mod, which shares no code with us.
//
//	check KEY DIRECTORY       DIRECTORY has checkpoint, tile/entries/…, tile/<level>/…, <index>.tlog-proof and
//	                          consistency, in which each line is: size root hash hash …
//
// The root is computed from the entries. x/mod before 0.40 must not be asked to verify tiles (CVE-2026-56865).
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(ok bool, words ...any) {
	if !ok {
		fmt.Println(words...)
		os.Exit(1)
	}
}

func hash(text string) tlog.Hash {
	raw, err := base64.StdEncoding.DecodeString(text)
	must(err == nil && len(raw) == 32, "no hash:", text)
	return tlog.Hash(*(*[32]byte)(raw))
}

func open(text []byte, verifiers note.Verifiers) tlog.Tree {
	opened, err := note.Open(text, verifiers)
	must(err == nil, "note:", err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err == nil, "size")
	return tlog.Tree{N: size, Hash: hash(lines[2])}
}

// Stored hashes in memory, as x/mod numbers them.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		found[i] = s[index]
	}
	return found, nil
}

func tilePath(index int64, width int64) string {
	text := fmt.Sprintf("%03d", index%1000)
	for index >= 1000 {
		index /= 1000
		text = fmt.Sprintf("x%03d/", index%1000) + text
	}
	if width < 256 {
		text += fmt.Sprintf(".p/%d", width)
	}
	return text
}

func main() {
	verifier, err := note.NewVerifier(os.Args[1])
	must(err == nil, "key:", err)
	verifiers := note.VerifierList(verifier)
	directory := os.Args[2]
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(directory, name))
		must(err == nil, err)
		return content
	}
	tree := open(read("checkpoint"), verifiers)

	var entries [][]byte
	var hashes stored
	for index := int64(0); index*256 < tree.N; index++ {
		width := tree.N - index*256
		if width > 256 {
			width = 256
		}
		bundle := read("tile/entries/" + tilePath(index, width))
		leaves := read("tile/0/" + tilePath(index, width))
		must(int64(len(leaves)) == width*32, "tile size")
		for n := int64(0); n < width; n++ {
			length := int(binary.BigEndian.Uint16(bundle))
			entry := bundle[2 : 2+length]
			bundle = bundle[2+length:]
			leaf := tlog.RecordHash(entry)
			must(bytes.Equal(leaf[:], leaves[n*32:n*32+32]), "leaf", index*256+n)
			added, err := tlog.StoredHashes(int64(len(entries)), entry, hashes)
			must(err == nil, err)
			hashes = append(hashes, added...)
			entries = append(entries, entry)
		}
		must(len(bundle) == 0, "bytes behind a bundle")
	}
	root, err := tlog.TreeHash(tree.N, hashes)
	must(err == nil && root == tree.Hash, "root of the entries")

	proofs, _ := filepath.Glob(filepath.Join(directory, "*.tlog-proof"))
	must(len(proofs) > 0, "no proofs")
	for _, name := range proofs {
		content, err := os.ReadFile(name)
		must(err == nil, err)
		head, signed, found := bytes.Cut(content, []byte("\n\n"))
		must(found, "no checkpoint")
		lines := strings.Split(string(head), "\n")
		must(lines[0] == "c2sp.org/tlog-proof@v1", "first line")
		index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
		must(err == nil, "index")
		var proof tlog.RecordProof
		for _, line := range lines[2:] {
			proof = append(proof, hash(line))
		}
		of := open(signed, verifiers)
		err = tlog.CheckRecord(proof, of.N, of.Hash, index, tlog.RecordHash(entries[index]))
		must(err == nil, name, err)
		own, err := tlog.ProveRecord(of.N, index, hashes)
		must(err == nil && fmt.Sprint(own) == fmt.Sprint(proof), name, "another proof")
	}

	for _, line := range strings.Split(strings.TrimSpace(string(read("consistency"))), "\n") {
		parts := strings.Fields(line)
		size, err := strconv.ParseInt(parts[0], 10, 64)
		must(err == nil, "size")
		var proof tlog.TreeProof
		for _, part := range parts[2:] {
			proof = append(proof, hash(part))
		}
		err = tlog.CheckTree(proof, tree.N, tree.Hash, size, hash(parts[1]))
		must(err == nil, "consistency", size, err)
	}
	fmt.Println("ok", tree.N, len(proofs))
}
