import { createStore, useStore } from "zustand";

const key = "panel-session";

interface SessionState {
  token: string | undefined;
  /** The panel no longer knows the session, while a page is still open. */
  ended: boolean;
}

/** The session token lives in memory and in this tab's sessionStorage, never in a URL and never in localStorage. */
export const session = createStore<SessionState>(() => ({ token: readToken(), ended: false }));

export function beginSession(token: string): void {
  sessionStorage.setItem(key, token);
  session.setState({ token, ended: false });
}

export function endSession(): void {
  sessionStorage.removeItem(key);
  session.setState({ token: undefined, ended: false });
}

/** Keeps the open page and asks to sign in again over it. */
export function markSessionEnded(): void {
  if (session.getState().token === undefined) return;
  sessionStorage.removeItem(key);
  session.setState({ token: undefined, ended: true });
}

export function useSession(): SessionState {
  return useStore(session);
}

function readToken(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined;
}
