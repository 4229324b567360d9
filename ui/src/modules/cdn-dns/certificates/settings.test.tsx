import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import { serve } from "../testing";
import { bodyOf, fieldsOf, flattened, type Settings } from "./certificate-settings";
import SettingsPage from "./settings-page";

const settings: Settings = {
  authority: "letsencrypt",
  directory: "",
  email: "ops@example.com",
  external_account: { key_id: "kid-1", has_mac_key: true },
  roots: "",
};

const stored = (change: Partial<Settings> = {}, revision = 4) => ({
  body: { revision, stored: true, updated_at: "2026-03-11T12:00:00Z", settings: { ...settings, ...change } },
});

const document = "/dns/certificate-settings";

async function page(more: Parameters<typeof serve>[0] = {}, permissions?: string[]) {
  const panel = serve({ [`GET ${document}`]: stored(), ...more }, permissions);
  await renderApp(<SettingsPage />, { queries: panel.queries });
  return panel;
}

describe("settings of certificates", () => {
  it("order from staging by one switch, and keep the key that is stored", async () => {
    const { written } = await page({ [`PUT ${document}`]: stored({ authority: "letsencrypt-staging" }, 5) });
    await userEvent.click(await screen.findByRole("switch", { name: /^Staging/ }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await expect.poll(() => written()).toHaveLength(1);
    expect(written()[0]!.body).toEqual({
      revision: 4,
      settings: {
        authority: "letsencrypt-staging",
        directory: "",
        email: "ops@example.com",
        external_account: { key_id: "kid-1" },
        roots: "",
      },
    });
  });

  it("ask another authority for its address", async () => {
    const { written } = await page({ [`PUT ${document}`]: stored({}, 5) });
    await userEvent.click(await screen.findByRole("radio", { name: "Another authority" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Enter an address that begins with https://")).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText("Address of the ACME directory"), "https://ca.example/dir");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await expect.poll(() => written()).toHaveLength(1);
    expect(written()[0]!.body).toMatchObject({
      settings: { authority: "other", directory: "https://ca.example/dir" },
    });
  });

  it("say when certificates are renewed and when people are warned", async () => {
    await page();
    expect(await screen.findByText(/when a third of the lifetime is left/)).toBeInTheDocument();
    expect(screen.getByText(/14 days before the end, or when a sixth/)).toBeInTheDocument();
  });

  it("are closed, with the reason, to whoever may only read them", async () => {
    await page({}, ["dns.view"]);
    expect(await screen.findByText("Needs the permission dns.manage")).toBeInTheDocument();
    expect(screen.getByLabelText("E-mail")).toBeDisabled();
  });
});

describe("the fields of the settings", () => {
  const fields = fieldsOf(settings);

  it("never hold the key that is stored", () => {
    expect(fields).toMatchObject({ authority: "letsencrypt", staging: false, key_id: "kid-1", mac_key: "" });
    expect(bodyOf(fields).external_account).toEqual({ key_id: "kid-1" });
  });

  it("send a new key, and take both parts of the account away together", () => {
    expect(bodyOf({ ...fields, mac_key: " abc " }).external_account).toEqual({ key_id: "kid-1", mac_key: "abc" });
    expect(bodyOf({ ...fields, drop_mac_key: true }).external_account).toEqual({ key_id: "", mac_key: "" });
  });

  it("of another authority are not kept for Let's Encrypt", () => {
    const other = { ...fields, directory: "https://ca.example/dir", roots: "PEM" };
    expect(bodyOf(other)).toMatchObject({ authority: "letsencrypt", directory: "", roots: "" });
    expect(bodyOf({ ...other, authority: "other" })).toMatchObject({
      directory: "https://ca.example/dir",
      roots: "PEM",
    });
  });

  it("get refusals by their own names", () => {
    const errors = [{ field: "settings.external_account.mac_key", code: "invalid_value", message: "x" }];
    expect(flattened(new Problem({ status: 422, code: "invalid_value", errors }))).toMatchObject({
      fields: [{ field: "settings.mac_key" }],
    });
  });
});
