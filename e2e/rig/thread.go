package rig

import "runtime"

// onOwnThread keeps the thread for the whole call, for work that the kernel ties to a thread.
func onOwnThread(work func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	work()
}
