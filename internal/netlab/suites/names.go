package suites

// Anywhere is what runs on every mount, of the tests of package dirlock with several processes: without the "TestProc" that each begins with.
var Anywhere = []string{
	"Contention", "Stampede", "StampedeOnForeign",
	"CancelAtAnyMoment", "LockOutlivesTheContext", "ContextEndsTheWait", "TimedOutWaitSaysWhen",
	"ContentDecidesNothing", "CorruptNames", "UnknownVersion", "LongestName", "StandingFaults",
	"StoppedHolderAloneKeepsTheLock", "ForeignShortSleep",
	"ForeignOwnerThatMoves", "ForeignOwnerThatMovesBack", "FutureAndStill", "OldAndStill", "LongerSettingsCount",
	"JunkInAHeldLock", "Droppings", "SillyRenameGoesAway",
	"RemovedFromOutside", "MovedAway", "CheckSeesAMove", "LinkOnTheWayIsTurned", "LinkToALock",
	"ReleaseTwice", "ReleaseConcurrently", "AfterATakeover",
}

// AtHome is what is true of one host only, or of a file system whose clock is this machine's: who is dead is known at once, who has stopped is
// not replaced, and nothing is made beside the lock to learn the time.
var AtHome = []string{
	"KilledHolderIsReplacedInFiveSeconds", "DeadHolderIsReplacedByANewcomer", "StoppedHolderIsNeverReplaced", "UnreapedHolderIsReplaced", "EndWithoutRelease",
	"JunkInADeadLock", "NotALock", "InspectALivingHolder", "PlainDirectory", "TwoForgedStamps",
	"TimedOutWaitSaysWhoHolds", "TryAcquire", "ShortWaitWinsOverTheOld",
}
