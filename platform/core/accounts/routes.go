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

// own is for operations on credentials: they need a person who has signed in, not an API token.
func own(options ...httpapi.Option) []httpapi.Option { return append(options, httpapi.SignedIn()) }

func (h *handlers) ownRoutes() httpapi.Routes {
	signIn, small := access.PublicWithin(access.WideLimit), httpapi.BodyLimit(httpapi.SmallBodyLimit)
	session, degraded, done := access.Session(), httpapi.WhileDegraded(), httpapi.Status(noContent)
	return httpapi.Under("/api/v1/auth", "",
		httpapi.Post("/login", "Sign in", signIn, h.login, small, degraded),
		httpapi.Post("/second-factor", "Finish signing in with a second factor", signIn, h.secondFactor, small,
			degraded),
		httpapi.Get("/me", "Show who is signed in", session, h.me, httpapi.BeforePasswordChange()),
		httpapi.Put("/language", "Choose the language in which you read the web interface", session, h.setLanguage,
			done),
		httpapi.Post("/logout", "End this session", session, h.logout,
			own(degraded, httpapi.BeforePasswordChange(), done, httpapi.Anew())...),
		httpapi.Post("/password", "Change your own password", session, h.changePassword,
			own(degraded, httpapi.BeforePasswordChange(), done)...),
		httpapi.Get("/sessions", "List your own sessions", session, h.sessions, own()...),
		httpapi.Delete("/sessions/{id}", "End one of your own sessions", session, h.endSession, own(degraded, done)...),
		httpapi.Get("/tokens", "List your own API tokens", session, h.tokens, own()...),
		httpapi.Post("/tokens", "Create an API token", session, h.createToken,
			own(httpapi.Status(created), httpapi.Anew())...),
		httpapi.Delete("/tokens/{id}", "Revoke one of your own API tokens", session, h.revokeToken,
			own(degraded, done)...),
		httpapi.Get("/factors", "Show your own second factors", session, h.factors, own()...),
		httpapi.Post("/totp", "Begin to set up an authenticator app", session, h.beginTOTP,
			own(degraded, httpapi.Anew())...),
		httpapi.Post("/totp/confirm", "Switch the authenticator app on", session, h.confirmTOTP,
			own(degraded, httpapi.Anew())...),
		httpapi.Post("/totp/remove", "Remove the authenticator app", session, h.removeTOTP, own(degraded, done)...),
		httpapi.Post("/totp/recovery-codes", "Replace your own recovery codes", session, h.renewRecoveryCodes,
			own(degraded, httpapi.Anew())...),
		httpapi.Post("/passkeys", "Begin to register a passkey", session, h.beginPasskey,
			own(degraded, httpapi.Anew())...),
		httpapi.Post("/passkeys/finish", "Register the passkey that the browser made", session, h.finishPasskey,
			own(degraded, httpapi.Status(created))...),
		httpapi.Patch("/passkeys/{id}", "Rename one of your own passkeys", session, h.renamePasskey, own(degraded)...),
		httpapi.Post("/passkeys/{id}/remove", "Remove one of your own passkeys", session, h.removePasskey,
			own(degraded, done)...),
	)
}

// accountRoutes let API tokens read; a leaked token must not make access that outlives it.
func (h *handlers) accountRoutes() httpapi.Routes {
	view, manage, done := access.Needs(View), access.Needs(Manage), httpapi.Status(noContent)
	return httpapi.Under("/api/v1", "",
		httpapi.Get("/permissions", "List the permission catalogue", view, h.permissions, httpapi.Unchanging()),
		httpapi.Get("/accounts", "List accounts", view, h.list),
		httpapi.Post("/accounts", "Create an account", manage, h.create, own(httpapi.Status(created))...),
		httpapi.Get("/accounts/{id}", "Show an account", view, h.show),
		httpapi.Patch("/accounts/{id}", "Change or disable an account", manage, h.update, own()...),
		httpapi.Delete("/accounts/{id}", "Delete an account", manage, h.remove, own(done)...),
		httpapi.Post("/accounts/{id}/password", "Reset an account's password", manage, h.resetPassword, own(done)...),
		httpapi.Get("/accounts/{id}/sessions", "List an account's sessions", view, h.sessionsOf),
		httpapi.Delete("/accounts/{id}/sessions/{session_id}", "End an account's session", manage, h.endSessionOf,
			own(done)...),
		httpapi.Get("/accounts/{id}/tokens", "List an account's API tokens", manage, h.tokensOf),
		httpapi.Delete("/accounts/{id}/tokens/{token_id}", "Revoke an account's API token", manage, h.revokeTokenOf,
			own(done)...),
	)
}
