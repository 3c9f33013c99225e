package stamp

import "golang.org/x/sys/windows/registry"

// machineGUID is what Windows drew for this installation. Clones have it in common, and differ by when they were booted.
func machineGUID() (string, error) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return "", err
	}
	defer k.Close()
	guid, _, err := k.GetStringValue("MachineGuid")
	return guid, err
}
