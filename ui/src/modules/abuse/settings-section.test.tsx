import { QueryClient } from "@tanstack/react-query";
import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { licenseQuery, meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeLicense, makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { settingsCalls } from "./api";
import SettingsSection from "./settings-section";

afterEach(() => vi.restoreAllMocks());

async function open(permissions: string[]) {
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryDefaults(["license"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  queries.setQueryData(licenseQuery.queryKey, makeLicense());
  const read = { revision: 3, stored: true, updated_at: null, settings: { keep_days: 90, keep_address_days: 14 } };
  vi.spyOn(settingsCalls, "read").mockResolvedValue(read as never);
  const write = vi.spyOn(settingsCalls, "write").mockResolvedValue({ ...read, revision: 4 } as never);
  await renderApp(<SettingsSection />, { queries });
  return { addresses: await screen.findByLabelText("Addresses of users, days"), write };
}

it("saves how long addresses are kept, and leaves the rest as it was", async () => {
  const { addresses, write } = await open(["*"]);
  await user.clear(addresses);
  await user.type(addresses, "3");
  await user.click(await screen.findByRole("button", { name: "Save" }));
  await waitFor(() => expect(write).toHaveBeenCalledOnce());
  expect(write.mock.calls[0]![0]).toEqual({ revision: 3, settings: { keep_days: 90, keep_address_days: 3 } });
});

it("is closed to whoever may only see", async () => {
  const { addresses } = await open(["abuse.view"]);
  expect(addresses).toBeDisabled();
  expect(screen.getByText("Needs the permission abuse.manage")).toBeInTheDocument();
});
