package stamp

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// identify reads who this process is.
//
// Boot is made of the installation's guid and the time of the boot, which any
// user may read; PIDNS of the oldest process that this one can see. A Windows
// container shares the kernel and its pids with its host but sees only its own
// processes, so that a pid it does not find proves nothing about the others;
// what is oldest there (its own smss.exe) lives as long as the container and is
// not what is oldest outside. TimeNS is 1: there is one reckoning of start times.
func (asker) identify(pid int) (id Identity, exhausted bool) {
	id.PID = pid
	start, err := created(windows.CurrentProcess())
	if err != nil {
		return id, false
	}
	guid, err := machineGUID()
	if err != nil || guid == "" {
		return id, false
	}
	boot, err := bootTime()
	if err != nil {
		return id, false
	}
	oldest, err := oldestProcess()
	if err != nil {
		return id, false
	}
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("mkdirlock boot "+guid), boot))
	copy(id.Boot[:], sum[:])
	id.Start, id.PIDNS, id.TimeNS, id.ProcOurs = start, oldest, 1, true
	return id, false
}

// machineGUID is what Windows drew for this installation. Clones have it in
// common, and differ by when they were booted.
func machineGUID() (string, error) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return "", err
	}
	defer k.Close()
	guid, _, err := k.GetStringValue("MachineGuid")
	return guid, err
}

// bootTime is when the kernel was booted, in units of 100 ns, by what the clock
// then said. BootTime alone moves whenever the clock is set, and BootTimeBias with
// it by as much (KeSetSystemTime; ReactOS, ntoskrnl/ke/time.c, does the same).
func bootTime() (uint64, error) {
	var info struct { // SYSTEM_TIMEOFDAY_INFORMATION
		bootTime, currentTime, timeZoneBias int64
		timeZoneID, reserved                uint32
		bootTimeBias, sleepTimeBias         uint64
	}
	var n uint32
	err := windows.NtQuerySystemInformation(windows.SystemTimeOfDayInformation, unsafe.Pointer(&info), uint32(unsafe.Sizeof(info)), &n)
	if err == nil && (n != uint32(unsafe.Sizeof(info)) || info.bootTime == 0) {
		err = errors.New("no time of the boot")
	}
	return uint64(info.bootTime) - info.bootTimeBias, err
}

// oldestProcess makes a number of the pid and the creation time of the process
// that was made first of all that can be seen, never 0. The idle and the System
// process do not count: they are seen in containers too.
func oldestProcess() (uint64, error) {
	const system = 4 // its pid on every Windows
	var first *windows.SYSTEM_PROCESS_INFORMATION
	table, err := processTable()
	if err != nil {
		return 0, err
	}
	for p := table; p != nil; p = next(p) {
		if p.UniqueProcessID > system && p.CreateTime > 0 && (first == nil || p.CreateTime < first.CreateTime) {
			first = p
		}
	}
	if first == nil {
		return 0, errors.New("no process in the table")
	}
	b := binary.LittleEndian.AppendUint64([]byte("mkdirlock pids "), uint64(first.CreateTime))
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64(b, uint64(first.UniqueProcessID)))
	return max(1, binary.LittleEndian.Uint64(sum[:])>>16), nil // a shorter one leaves the label room in a stamp's name
}

func processTable() (*windows.SYSTEM_PROCESS_INFORMATION, error) {
	for size := uint32(1 << 18); size <= 1<<26; size *= 2 {
		buf := make([]uint64, size/8) // aligned as the structures in it need
		var n uint32
		err := windows.NtQuerySystemInformation(windows.SystemProcessInformation, unsafe.Pointer(&buf[0]), size, &n)
		if errors.Is(err, windows.STATUS_INFO_LENGTH_MISMATCH) {
			continue
		}
		if err == nil && n < uint32(unsafe.Sizeof(windows.SYSTEM_PROCESS_INFORMATION{})) {
			err = errors.New("an empty table of processes")
		}
		return (*windows.SYSTEM_PROCESS_INFORMATION)(unsafe.Pointer(&buf[0])), err
	}
	return nil, errors.New("the table of processes does not end")
}

// next follows the table, which the kernel wrote into one buffer.
func next(p *windows.SYSTEM_PROCESS_INFORMATION) *windows.SYSTEM_PROCESS_INFORMATION {
	if p.NextEntryOffset == 0 {
		return nil
	}
	return (*windows.SYSTEM_PROCESS_INFORMATION)(unsafe.Add(unsafe.Pointer(p), p.NextEntryOffset))
}
