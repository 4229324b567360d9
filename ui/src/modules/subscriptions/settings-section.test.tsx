import { QueryClient } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { licenseQuery, meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeLicense, makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import SettingsSection from "./settings-section";

const settings = { title: "", support: "", announcement: "", interval_hours: 12 };

async function section(permissions = ["*"]) {
  const written: unknown[] = [];
  beginSession("ps_test");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === "PUT") written.push(await request.json());
    return Response.json({ revision: 4, stored: true, updated_at: null, settings });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryDefaults(["license"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  queries.setQueryData(licenseQuery.queryKey, makeLicense());
  await renderApp(<SettingsSection />, { queries });
  await screen.findByLabelText("Name");
  return written;
}

const save = () => userEvent.click(screen.getByRole("button", { name: "Save" }));

describe("settings of subscriptions", () => {
  it("are sent as one document with its revision", async () => {
    const written = await section();
    await userEvent.type(screen.getByLabelText("Name"), "My VPN");
    await userEvent.type(screen.getByLabelText("Support address"), "https://help.example");
    const interval = screen.getByLabelText("Update interval, hours");
    await userEvent.clear(interval);
    await userEvent.type(interval, "24");
    await save();
    await expect.poll(() => written).toHaveLength(1);
    expect(written[0]).toEqual({
      revision: 4,
      settings: { title: "My VPN", support: "https://help.example", announcement: "", interval_hours: 24 },
    });
  });

  it("say at the field what programs could not use", async () => {
    const written = await section();
    await userEvent.type(screen.getByLabelText("Support address"), "http://help.example");
    await userEvent.clear(screen.getByLabelText("Update interval, hours"));
    await save();
    expect(await screen.findByText("Enter an address that begins with https://, mailto: or tg:")).toBeInTheDocument();
    expect(screen.getByText("Enter a whole number from 1 to 168")).toBeInTheDocument();
    expect(written).toEqual([]);
  });

  it("are closed, with the reason, to whoever may only look", async () => {
    await section(["nodes.view"]);
    expect(screen.getByText("Needs the permission settings.manage")).toBeInTheDocument();
    expect(screen.getByLabelText("Name")).toBeDisabled();
  });
});
