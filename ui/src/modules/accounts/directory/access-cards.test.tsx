import { QueryClient } from "@tanstack/react-query";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { SessionsCard, TokensCard } from "./access-cards";
import type { Account } from "./api";

const anna = { id: "7", username: "anna" } as Account;
const session = (id: string, current = false) => ({
  id,
  current,
  user_agent: "curl/8",
  ip: "192.0.2.1",
  created_at: "2026-03-10T15:02:00Z",
  last_seen_at: "2026-03-10T15:02:00Z",
});
const token = {
  id: "9",
  name: "deploy",
  permissions: ["nodes.view"],
  created_at: "2026-03-10T15:02:00Z",
  expires_at: "2096-06-10T15:02:00Z",
  last_used_at: null,
  expired: false,
};

/** What was deleted; a session that somebody else ended is gone already. */
let ended: string[];

beforeEach(() => {
  ended = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { method, url } = input as Request;
    const path = new URL(url).pathname;
    if (method === "DELETE") {
      ended.push(path.split("/").slice(-2).join("/"));
      return path.endsWith("/s2")
        ? Response.json({ status: 404, code: "not_found" }, { status: 404 })
        : new Response(null, { status: 204 });
    }
    return Response.json({ items: path.endsWith("/tokens") ? [token] : [session("s1"), session("s2"), session("s3")] });
  });
});
afterEach(() => vi.restoreAllMocks());

async function draw(view: React.ReactNode, permissions = ["*"]) {
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts", "me"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  await renderApp(view, { queries });
}

describe("how an account gets in", () => {
  it("ends all sessions after one question, also when one has gone already", async () => {
    await draw(<SessionsCard account={anna} reason={undefined} />);
    await userEvent.click(await screen.findByRole("button", { name: "End all" }));
    const dialog = within(await screen.findByRole("dialog", { name: "End all sessions of anna?" }));
    expect(dialog.getByText(/3 sessions end at once/)).toBeInTheDocument();
    expect(ended).toEqual([]);
    await userEvent.click(dialog.getByRole("button", { name: "End sessions" }));
    await waitFor(() => expect(ended).toEqual(["sessions/s1", "sessions/s2", "sessions/s3"]));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  it("shows who manages accounts the tokens of others, and revokes one", async () => {
    await draw(<TokensCard account={anna} reason={undefined} />);
    expect(await screen.findByText("nodes.view")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Revoke deploy" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Revoke the token deploy of anna?" }));
    await userEvent.click(dialog.getByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(ended).toEqual(["tokens/9"]));
  });

  it("asks for no tokens of others without the right to see them", async () => {
    await draw(<TokensCard account={anna} reason={undefined} />, ["accounts.view"]);
    expect(screen.queryByText("API tokens")).not.toBeInTheDocument();
    expect(globalThis.fetch).not.toHaveBeenCalledWith(
      expect.objectContaining({ url: expect.stringMatching(/tokens/) }),
    );
  });
});
