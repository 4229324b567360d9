import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { QueryClient } from "@tanstack/react-query";
import { afterEach, describe, expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { api } from "@/api/client";
import { makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { DeleteAccountDialog } from "./delete-account-dialog";
import type { Account } from "./api";

const boris: Account = { ...makeMe([]).account, id: "01890000-0000-7000-8000-000000000009", username: "boris" };
const vera: Account = { ...boris, id: "01890000-0000-7000-8000-00000000000a", username: "vera" };
const gone = { response: new Response(null, { status: 204 }) };
const inUse = (names?: string[]) => ({
  error: {
    status: 409,
    code: "account_in_use",
    detail: "delete it with hand_over_to",
    owned_total: 7,
    owned: names?.map((name) => ({ type: "flow", id: name, name })),
  },
  response: new Response(null, { status: 409 }),
});

async function open(permissions: string[], ...answers: unknown[]) {
  const remove = vi.spyOn(api, "DELETE");
  for (const one of answers) remove.mockResolvedValueOnce(one as never);
  const accounts = { items: [boris, vera], total: 2, next_cursor: null };
  const read = (path: string) =>
    Promise.resolve({
      data: path === "/api/v1/auth/me" ? makeMe(permissions) : accounts,
      response: new Response(null, { status: 200 }),
    });
  vi.spyOn(api, "GET").mockImplementation(read as never);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  const deleted = vi.fn();
  await renderApp(<DeleteAccountDialog account={boris} onClose={() => undefined} onDeleted={deleted} />, { queries });
  await user.type(await screen.findByRole("textbox"), "boris");
  await user.click(screen.getByRole("button", { name: "Delete account" }));
  return { remove, deleted };
}

const request = (query: object) => ["/api/v1/accounts/{id}", { params: { path: { id: boris.id }, query } }];

describe("the deletion of an account", () => {
  afterEach(() => vi.restoreAllMocks());

  it("asks for no heir where nothing is owned", async () => {
    const { remove, deleted } = await open(["*"], gone);
    await waitFor(() => expect(deleted).toHaveBeenCalledOnce());
    expect(remove.mock.calls).toEqual([request({})]);
  });

  it("says what is owned and gives it to the chosen account", async () => {
    const { remove, deleted } = await open(["*"], inUse(["Office", "vpn.example.net"]), gone);
    expect(await screen.findByText("Office, vpn.example.net")).toBeInTheDocument();
    expect(screen.getByText(/boris owns 7 flows and domains/)).toHaveTextContent("and 5 more");
    expect(screen.queryByText(/hand_over_to|account_in_use/)).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: /^Hand over and delete/ }));
    expect(remove).toHaveBeenCalledOnce();
    await user.click(screen.getByRole("combobox", { name: "Hand over to" }));
    expect(screen.queryByRole("option", { name: "boris" })).not.toBeInTheDocument();
    await user.click(await screen.findByRole("option", { name: "vera" }));
    await user.click(screen.getByRole("button", { name: "Hand over and delete" }));
    await waitFor(() => expect(deleted).toHaveBeenCalledOnce());
    expect(remove.mock.calls[1]).toEqual(request({ hand_over_to: vera.id }));
  });

  it("keeps the heir and shows the refusal when the heir is not taken", async () => {
    const refusal = {
      error: { status: 422, code: "invalid_value", detail: "there is no such account" },
      response: new Response(null, { status: 422 }),
    };
    const { deleted } = await open(["*"], inUse(["Office"]), refusal);
    await user.click(await screen.findByRole("combobox", { name: "Hand over to" }));
    await user.click(await screen.findByRole("option", { name: "vera" }));
    await user.click(screen.getByRole("button", { name: "Hand over and delete" }));
    expect(await screen.findByText("there is no such account")).toBeInTheDocument();
    expect(screen.getByRole("combobox", { name: "Hand over to" })).toHaveValue("vera");
    expect(deleted).not.toHaveBeenCalled();
  });

  it("sends those without full access to somebody who has it", async () => {
    await open(["accounts.manage"], inUse());
    expect(await screen.findByText(/An account with full access can hand them over/)).toBeInTheDocument();
    expect(screen.queryByRole("combobox")).not.toBeInTheDocument();
  });
});
