// Package version holds the version of this build.
package version

// Version is set by the linker; a build without it calls itself development.
var Version = "0.0.0-dev"
