package wire

// Where things are in a lab, for the agent and the package that starts it. On the hosts the lab's directory is at Lab.
const (
	Dir    = "/mnt"           // the lab's own directory, in memory, in its namespaces alone
	Agent  = Dir + "/agent"   // the agent's program
	Socket = Dir + "/control" // where the lab's agent serves
	Lab    = Dir + "/lab"     // Dir, as a host has it
	Export = Dir + "/srv/share"

	DataNet    = "10.99.0."
	ControlNet = "10.98.0."
	Port       = "7000" // of a host's agent, on the control network
)
