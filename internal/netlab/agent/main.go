// Agent is the lab's only program beside the kernels. Depending on how it is started it is
//
//	agent lab            the first process of the lab's namespaces, where the kernels and their network are
//	agent                the first process of a host: it mounts, starts the servers, and then
//	agent serve ...      starts processes for the test, in either place
//	agent relay ...      a process of the test's own machine that stands for one on a host
//	agent shift DURATION shifts the clock
//
// It is static, so that it runs in any of these places.
package main
