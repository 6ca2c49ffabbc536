//go:build amd64 || arm64

package engine

import (
	"debug/elf"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The library takes no notice of writes that fail: it counts them and goes on, and so commits parts whose files are empty. An
// insert that fills the disk would be acknowledged and lost, and a merge would lose what had been safe. So a write of the
// library that fails ends the process, as if it had been killed at that moment, which everything here is made for: what was not
// committed is not there after the next start. The clickhouse program throws, and needs none of this.

// What guard_*.s reads; it ends with EX_IOERR, 74.
var (
	libcWrite, libcErrno uintptr
	lastWords            = "engine: a write failed, perhaps because the disk is full; it ends here so that nothing is taken for stored that is not\n" //nolint:unused // see above
)

// guardedWriteAddress is where C finds guardedWrite, which writes, and ends the process when that fails.
func guardedWriteAddress() uintptr

// relocations of the two architectures by which a library finds functions of others.
var symbolic = map[string][]uint64{
	"amd64": {uint64(elf.R_X86_64_JMP_SLOT), uint64(elf.R_X86_64_GLOB_DAT), uint64(elf.R_X86_64_64)},
	"arm64": {uint64(elf.R_AARCH64_JUMP_SLOT), uint64(elf.R_AARCH64_GLOB_DAT), uint64(elf.R_AARCH64_ABS64)},
}

// guardWrites has the loaded library write through guardedWrite.
func guardWrites(handle uintptr) error {
	var dlinfo func(handle uintptr, request int32, to unsafe.Pointer) int32
	for name, into := range map[string]*uintptr{"write": &libcWrite, "__errno_location": &libcErrno} {
		address, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
		if err != nil {
			return fmt.Errorf("guard writes: %w", err)
		}
		*into = address
	}
	purego.RegisterLibFunc(&dlinfo, purego.RTLD_DEFAULT, "dlinfo")
	const requestLinkMap = 2
	var loaded *linkMap
	if dlinfo(handle, requestLinkMap, unsafe.Pointer(&loaded)) != 0 || loaded == nil { //nolint:gosec // C fills it in
		return errors.New("guard writes: where the library was loaded to cannot be found out")
	}
	slots := loaded.slots("write", symbolic[runtime.GOARCH])
	if len(slots) == 0 {
		return errors.New("guard writes: the library does not write by libc; its writes cannot be watched")
	}
	for _, slot := range slots {
		if err := replace(slot, guardedWriteAddress()); err != nil {
			return fmt.Errorf("guard writes: %w", err)
		}
	}
	return nil
}

// linkMap is the beginning of C's struct link_map.
type linkMap struct {
	base    uintptr
	_       *byte
	dynamic *elf.Dyn64
}

// slots are the addresses that hold that of a function.
func (m *linkMap) slots(function string, kinds []uint64) (found []*uintptr) {
	tables := map[elf.DynTag]uintptr{}
	for d := m.dynamic; elf.DynTag(d.Tag) != elf.DT_NULL; d = (*elf.Dyn64)(unsafe.Add(unsafe.Pointer(d), unsafe.Sizeof(*d))) { //nolint:gosec // an array that ends with DT_NULL
		tables[elf.DynTag(d.Tag)] = uintptr(d.Val)
	}
	// The loader has made addresses of these.
	symbols, names := tables[elf.DT_SYMTAB], tables[elf.DT_STRTAB]
	for _, table := range []struct{ at, size uintptr }{{tables[elf.DT_JMPREL], tables[elf.DT_PLTRELSZ]}, {tables[elf.DT_RELA], tables[elf.DT_RELASZ]}} { //nolint:misspell // the names of ELF
		for at := table.at; at < table.at+table.size; at += unsafe.Sizeof(elf.Rela64{}) {
			r := (*elf.Rela64)(pointer(at))
			named := false
			for _, kind := range kinds {
				named = named || r.Info&0xffffffff == kind
			}
			if !named {
				continue
			}
			symbol := (*elf.Sym64)(pointer(symbols + uintptr(r.Info>>32)*unsafe.Sizeof(elf.Sym64{})))
			if symbol.Shndx == uint16(elf.SHN_UNDEF) && text(pointer(names+uintptr(symbol.Name))) == function {
				found = append(found, (*uintptr)(pointer(m.base+uintptr(r.Off))))
			}
		}
	}
	return found
}

// pointer makes a pointer of an address outside of Go's memory.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) } //nolint:gosec // Go never moves what is there

func text(at unsafe.Pointer) string {
	n := 0
	for *(*byte)(unsafe.Add(at, n)) != 0 {
		n++
	}
	return unsafe.String((*byte)(at), n) //nolint:gosec // it ends there
}

// replace writes to a slot, which may lie among those that are read-only once a library is loaded.
func replace(slot *uintptr, with uintptr) error {
	size := uintptr(syscall.Getpagesize())
	page := unsafe.Slice((*byte)(pointer(uintptr(unsafe.Pointer(slot))&^(size-1))), size) //nolint:gosec // the page of the slot
	if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		return err
	}
	*slot = with
	return nil
}
