import { QueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { fireEvent, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { navigation } from "../modules";
import { useShellKeys } from "./use-shell-keys";

beforeEach(() => localStorage.clear());

const list = vi.fn();

function Page() {
  useShellKeys(list);
  return (
    <main id="content">
      <output>{useLocation().pathname}</output>
      <input aria-label="Search" data-search />
    </main>
  );
}

async function open(permissions = ["*"]) {
  list.mockClear();
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  await renderApp(<Page />, { queries });
  return screen.findByRole("status");
}

it("lists the keys with ?, goes with g and to the search of the page with /", async () => {
  const place = await open();
  await userEvent.keyboard("?");
  expect(list).toHaveBeenCalledOnce();
  await userEvent.keyboard("gn");
  await expect.poll(() => place.textContent).toBe("/nodes");
  await userEvent.keyboard("/");
  expect(screen.getByRole("textbox", { name: "Search" })).toHaveFocus();
});

it("knows keys by their place, so that a Russian layout works too", async () => {
  const place = await open();
  fireEvent.keyDown(document.body, { key: "п", code: "KeyG" });
  fireEvent.keyDown(document.body, { key: "т", code: "KeyN" });
  await expect.poll(() => place.textContent).toBe("/nodes");
});

it("does nothing while somebody types, and nothing at all when single keys are off", async () => {
  await open();
  await userEvent.type(screen.getByRole("textbox", { name: "Search" }), "?gn");
  expect(list).not.toHaveBeenCalled();
  expect(screen.getByRole("textbox", { name: "Search" })).toHaveValue("?gn");
});

it("turns off with the switch", async () => {
  localStorage.setItem("panel-single-keys", "false");
  await open();
  await userEvent.keyboard("?");
  expect(list).not.toHaveBeenCalled();
});

it("does not go where the account may not", async () => {
  const place = await open(["audit.view"]);
  await userEvent.keyboard("gn");
  await userEvent.keyboard("gj");
  await expect.poll(() => place.textContent).toBe("/audit");
});

it("has one letter for each place", () => {
  const letters = navigation.map((entry) => entry.key).filter((key) => key !== undefined);
  expect(new Set(letters).size).toBe(letters.length);
});
