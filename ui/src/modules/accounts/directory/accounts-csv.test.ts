import { expect, it, vi } from "vitest";
import { csvOf } from "@/components/table/csv";
import { saveFile } from "@/components/screen/save-file";
import { accountsCsvFields, saveAccountsCsv } from "./accounts-csv";
import type { Account } from "./api";

vi.mock("@/components/screen/save-file", () => ({ saveFile: vi.fn() }));

const account = (username: string, change: Partial<Account> = {}): Account => ({
  id: username,
  username,
  state: "active",
  permissions: ["nodes.view", "audit.view"],
  totp_enabled: false,
  passkeys: 1,
  language: "",
  must_change_password: false,
  created_at: "2026-01-01T00:00:00Z",
  last_login_at: null,
  last_login_ip: "",
  revision: 1,
  ...change,
});

it("says of each account what it may and how it signs in", () => {
  const [head, anna, oleg] = csvOf(accountsCsvFields, [
    account("anna", { permissions: ["*", "nodes.view"], totp_enabled: true }),
    account("oleg"),
  ]).split("\r\n");
  expect(head).toMatch(/^username,state,permissions,authenticator_app,passkeys,/);
  expect(anna).toMatch(/^anna,active,\*,yes,1,/);
  expect(oleg).toMatch(/^oleg,active,nodes.view audit.view,no,1,/);
});

it("is a file of all accounts that fit, not of the first page", async () => {
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation((input) => {
    const { search, searchParams } = new URL((input as Request).url);
    asked.push(search);
    const last = searchParams.has("cursor");
    return Promise.resolve(
      Response.json({ items: [account(last ? "zoe" : "anna")], next_cursor: last ? null : "more", total: 2 }),
    );
  });
  await saveAccountsCsv("a");
  expect(asked).toHaveLength(2);
  expect(asked.every((search) => search.includes("q=a"))).toBe(true);
  expect(saveFile).toHaveBeenCalledWith("accounts.csv", expect.stringMatching(/anna[^]*zoe/), "text/csv");
});
