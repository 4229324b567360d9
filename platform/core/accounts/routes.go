package accounts

import (
	"panel/platform/access"
	"panel/platform/httpapi"
)

const (
	created   = 201
	noContent = 204
)

func (h *handlers) routes() httpapi.Routes { return httpapi.Join(h.ownRoutes(), h.accountRoutes()) }

func (h *handlers) ownRoutes() httpapi.Routes {
	signIn, small := access.PublicWithin(access.WideLimit), httpapi.BodyLimit(httpapi.SmallBodyLimit)
	return httpapi.Under("/api/v1/auth", "",
		httpapi.Post("/login", "Sign in", signIn, h.login, small, httpapi.WhileDegraded()),
		httpapi.Get("/me", "Show who is signed in", access.Session(), h.me, httpapi.BeforePasswordChange()),
		httpapi.Post("/logout", "End this session", access.Session(), h.logout,
			httpapi.WhileDegraded(), httpapi.BeforePasswordChange(), httpapi.Status(noContent)),
		httpapi.Post("/password", "Change your own password", access.Session(), h.changePassword,
			httpapi.WhileDegraded(), httpapi.BeforePasswordChange(), httpapi.Status(noContent)),
		httpapi.Get("/sessions", "List your own sessions", access.Session(), h.sessions),
		httpapi.Delete("/sessions/{id}", "End one of your own sessions", access.Session(), h.endSession, httpapi.WhileDegraded(), httpapi.Status(noContent)),
		httpapi.Post("/second-factor", "Finish signing in with a second factor", signIn, h.secondFactor, small, httpapi.WhileDegraded()),
		httpapi.Get("/factors", "Show your own second factors", access.Session(), h.factors),
		httpapi.Post("/totp", "Begin to set up an authenticator app", access.Session(), h.beginTOTP, httpapi.WhileDegraded()),
		httpapi.Post("/totp/confirm", "Switch the authenticator app on", access.Session(), h.confirmTOTP, httpapi.WhileDegraded()),
		httpapi.Post("/totp/remove", "Remove the authenticator app", access.Session(), h.removeTOTP, httpapi.WhileDegraded(), httpapi.Status(noContent)),
		httpapi.Post("/totp/recovery-codes", "Replace your own recovery codes", access.Session(), h.renewRecoveryCodes, httpapi.WhileDegraded()),
		httpapi.Post("/passkeys", "Begin to register a passkey", access.Session(), h.beginPasskey, httpapi.WhileDegraded()),
		httpapi.Post("/passkeys/finish", "Register the passkey that the browser made", access.Session(), h.finishPasskey, httpapi.WhileDegraded(), httpapi.Status(created)),
		httpapi.Patch("/passkeys/{id}", "Rename one of your own passkeys", access.Session(), h.renamePasskey, httpapi.WhileDegraded()),
		httpapi.Post("/passkeys/{id}/remove", "Remove one of your own passkeys", access.Session(), h.removePasskey,
			httpapi.WhileDegraded(), httpapi.Status(noContent)),
	)
}

func (h *handlers) accountRoutes() httpapi.Routes {
	return httpapi.Under("/api/v1", "",
		httpapi.Get("/permissions", "List the permission catalogue", access.Needs(View), h.permissions),
		httpapi.Get("/accounts", "List accounts", access.Needs(View), h.list),
		httpapi.Post("/accounts", "Create an account", access.Needs(Manage), h.create, httpapi.Status(created)),
		httpapi.Get("/accounts/{id}", "Show an account", access.Needs(View), h.show),
		httpapi.Patch("/accounts/{id}", "Change or disable an account", access.Needs(Manage), h.update),
		httpapi.Delete("/accounts/{id}", "Delete an account", access.Needs(Manage), h.remove, httpapi.Status(noContent)),
		httpapi.Post("/accounts/{id}/password", "Reset an account's password", access.Needs(Manage), h.resetPassword, httpapi.Status(noContent)),
		httpapi.Get("/accounts/{id}/sessions", "List an account's sessions", access.Needs(View), h.sessionsOf),
		httpapi.Delete("/accounts/{id}/sessions/{session_id}", "End an account's session", access.Needs(Manage), h.endSessionOf, httpapi.Status(noContent)),
	)
}
