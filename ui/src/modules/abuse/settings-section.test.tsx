import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { Settings } from "./api";
import SettingsSection from "./settings-section";
import { serve } from "./testing";

const kinds = { torrent: 50, port_scan: 80, smtp_spam: 90, brute_force: 80, ddos_out: 110 };
const settings: Settings = {
  keep_days: 90,
  keep_address_days: 14,
  thresholds: { warn: 40, limit: 70, block: 110 },
  collect: {
    enabled: true,
    kinds: [],
    limits: {
      scan_hosts: 60,
      scan_ports: 30,
      mails: 20,
      logins: 30,
      flood_rate: 500,
      high_rate: 3000,
      high_source: 20,
    },
  },
  hosts: ["phishing.example"],
  countries: [],
  record: { hours: 24, mb: 256 },
  automatic: { warn: [], soft_block: ["limit"], temp_block: [], hard_block: [], minutes: 60 },
  scoring: {
    min_score: 50,
    cooldown_minutes: 15,
    buffer: 3,
    per_source: 20,
    at_once: 90,
    other_city: 5,
    other_country: 15,
    too_fast: 50,
    city_kmh: 50,
    country_kmh: 200,
    world_kmh: 800,
    networks: 2,
    per_network: 25,
    per_hosting: 20,
    usual_times: 2,
    per_time: 25,
    new_country: 20,
    devices: 3,
    per_device: 33,
    hard_sources: 50,
    hard_at_once: 20,
    most: { temporal: 40, geo: 30, asn: 25, profile: 15, device: 15, hwid: 20, signals: 110 },
    signals: { ...kinds, phishing_dest: 50, blocked_geo: 20, high_rate: 15, too_many_sources: 25 },
  },
};

const read = { revision: 3, stored: true, updated_at: null, settings };

async function open(permissions: string[] = ["*"], put: object = { body: { ...read, revision: 4 } }) {
  const served = serve({ "GET /settings": { body: read }, "PUT /settings": put }, permissions);
  await renderApp(<SettingsSection />, { queries: served.queries });
  await screen.findByLabelText("Addresses of users, days");
  return served;
}

const save = async () => user.click(await screen.findByRole("button", { name: "Save" }));
const retype = async (label: string, text: string) => {
  await user.clear(screen.getByLabelText(label));
  await user.type(screen.getByLabelText(label), text);
};

describe("settings of abuse protection", () => {
  it("change one value and leave the rest as it was, however deep it lies", async () => {
    const { written } = await open();
    await retype("Addresses of users, days", "3");
    await retype("Warn from", "45");
    await retype("Connections to anywhere, a minute", "5000");
    await save();
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]!.body).toEqual({
      revision: 3,
      settings: {
        ...settings,
        keep_address_days: 3,
        thresholds: { ...settings.thresholds, warn: 45 },
        collect: { ...settings.collect, limits: { ...settings.collect.limits, high_rate: 5000 } },
      },
    });
  });

  it("take names line by line", async () => {
    const { written } = await open();
    await user.type(screen.getByLabelText("Names"), "{Enter}malware.example.net");
    await save();
    await waitFor(() => expect(written()).toHaveLength(1));
    expect((written()[0]!.body as { settings: Settings }).settings.hosts).toEqual([
      "phishing.example",
      "malware.example.net",
    ]);
  });

  it("stop the collection by one switch, which says what follows", async () => {
    const { written } = await open();
    expect(screen.getByText(/agents collect nothing and drop/)).toBeInTheDocument();
    await user.click(screen.getByRole("switch", { name: /^Agents collect signals and sessions/ }));
    await save();
    await waitFor(() => expect(written()).toHaveLength(1));
    expect((written()[0]!.body as { settings: Settings }).settings.collect.enabled).toBe(false);
  });

  it("say that nothing is done by itself until it is chosen, for each step that the score suggests", async () => {
    const { written } = await open();
    expect(screen.getByText(/^Nothing, unless you choose it here/)).toBeInTheDocument();
    await user.click(screen.getByRole("combobox", { name: "When the score suggests: hard block" }));
    await user.click(await screen.findByRole("option", { name: "Revoke" }));
    await save();
    await waitFor(() => expect(written()).toHaveLength(1));
    expect((written()[0]!.body as { settings: Settings }).settings.automatic).toEqual({
      ...settings.automatic,
      hard_block: ["revoke"],
    });
  });

  it("put a refusal at its field", async () => {
    const errors = [
      { field: "settings.thresholds", code: "invalid_value", message: "warn, limit and block must rise" },
    ];
    await open(["*"], { status: 422, body: { status: 422, code: "invalid_value", errors } });
    await retype("Warn from", "200");
    await save();
    expect(await screen.findByText(/warn, limit and block must rise/)).toBeInTheDocument();
  });

  it("are closed to whoever may only see", async () => {
    await open(["abuse.view"]);
    expect(screen.getByLabelText("Addresses of users, days")).toBeDisabled();
    expect(screen.getByRole("switch", { name: /^Agents collect signals and sessions/ })).toBeDisabled();
    expect(screen.getByText("Needs the permission abuse.manage")).toBeInTheDocument();
  });
});
