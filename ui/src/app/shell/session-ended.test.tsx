import { QueryClient } from "@tanstack/react-query";
import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { answer, api } from "@/api/client";
import { beginSession, markSessionEnded, session } from "@/api/session";
import { makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { SessionEnded } from "./session-ended";

const before = session.getState();
afterEach(() => {
  session.setState(before, true);
  vi.restoreAllMocks();
});

async function ended() {
  beginSession("ps_test");
  markSessionEnded();
  const queries = new QueryClient();
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(["*"]));
  await renderApp(<SessionEnded />, { queries });
  return within(await screen.findByRole("dialog"));
}

it("keeps the name of the one whose form stands behind it, and asks only for the password", async () => {
  const dialog = await ended();
  const name = await dialog.findByLabelText("Username");
  expect(name).toHaveValue("anna");
  await userEvent.type(name, "boris");
  expect(name).toHaveValue("anna");
  expect(dialog.getByRole("button", { name: /sign in as somebody else/ })).toBeInTheDocument();
});

it("asks the panel for nothing but a new sign-in while the session is over", async () => {
  const sent = vi.spyOn(globalThis, "fetch").mockResolvedValue(Response.json({ token: "ps_next" }));
  await ended();
  await expect(answer(api.GET("/api/v1/nodes/summary"))).rejects.toMatchObject({ code: "session_expired" });
  expect(sent).not.toHaveBeenCalled();
  await answer(api.POST("/api/v1/auth/login", { body: { username: "anna", password: "a password" } }));
  expect(sent).toHaveBeenCalledOnce();
});
