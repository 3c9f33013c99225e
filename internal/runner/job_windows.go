package runner

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// newJob makes a job whose processes end with the last handle on it, and so with this process.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, os.NewSyscallError("SetInformationJobObject", err)
	}
	return job, nil
}

// startIn starts the command suspended, so that it is in the job before it can start anything itself.
func startIn(job windows.Handle, cmd Command) (windows.Handle, error) {
	path, err := windows.UTF16PtrFromString(cmd.Path)
	if err != nil {
		return 0, err
	}
	line, err := windows.UTF16PtrFromString(windows.ComposeCommandLine(cmd.Args))
	if err != nil {
		return 0, err
	}
	si := windows.StartupInfo{Flags: windows.STARTF_USESTDHANDLES}
	si.Cb = uint32(unsafe.Sizeof(si))
	si.StdInput, si.StdOutput, si.StdErr = windows.Handle(os.Stdin.Fd()), windows.Handle(os.Stdout.Fd()), windows.Handle(os.Stderr.Fd())
	for _, h := range []windows.Handle{si.StdInput, si.StdOutput, si.StdErr} {
		windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	}
	var pi windows.ProcessInformation
	err = windows.CreateProcess(path, line, nil, nil, true, windows.CREATE_SUSPENDED, nil, nil, &si, &pi)
	if err != nil {
		return 0, os.NewSyscallError("CreateProcess", err)
	}
	defer windows.CloseHandle(pi.Thread)
	if err = windows.AssignProcessToJobObject(job, pi.Process); err == nil {
		_, err = windows.ResumeThread(pi.Thread)
	}
	if err != nil {
		windows.TerminateProcess(pi.Process, codeCannotRun)
		windows.CloseHandle(pi.Process)
		return 0, os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return pi.Process, nil
}

// populated reports whether the job has a process left. What cannot be asked counts as yes only until the job is closed.
func populated(job windows.Handle) bool {
	const basicAccounting = 1
	var info struct {
		_            [4]int64 // times
		_            uint32   // page faults
		_, active, _ uint32   // total, active, terminated
	}
	err := windows.QueryInformationJobObject(job, basicAccounting,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}
