package automation

// Again is the rule after a restore, for tests.
var Again = again
