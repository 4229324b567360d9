import { screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import type { ViewState } from "@/components/state/states";
import type { LicenseStatus } from "@/api/access";
import { makeLicense } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { formatMoment } from "@/text/format";
import { LicenseView } from "./license-view";

const nothing = () => undefined;

function view(state: ViewState<LicenseStatus>, block?: string) {
  return (
    <LicenseView
      state={state}
      block={block}
      onActivate={nothing}
      onRemove={nothing}
      refresh={{ run: nothing, busy: false, error: null }}
    />
  );
}

describe("license page", () => {
  it("says that it loads", async () => {
    await renderApp(view({ kind: "loading" }));
    expect(await screen.findByRole("status", { name: "Loading" })).toBeInTheDocument();
  });

  it("shows code and request id of a refusal, and retries where that can help", async () => {
    const retry = vi.fn();
    await renderApp(
      view({ kind: "error", error: new Problem({ status: 503, code: "unavailable", request_id: "r-1" }), retry }),
    );
    expect(await screen.findByText("unavailable · r-1")).toBeInTheDocument();
    screen.getByRole("button", { name: "Retry" }).click();
    expect(retry).toHaveBeenCalledOnce();
  });

  it("asks for a key where there is no license", async () => {
    await renderApp(
      view({
        kind: "ready",
        data: makeLicense({
          state: "degraded",
          reason: "none",
          read_only: true,
          plan: null,
          key_masked: null,
          last_check: null,
        }),
      }),
    );
    expect(await screen.findByText("No license yet")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Remove…" })).not.toBeInTheDocument();
  });

  it("shows plan, masked key and what the plan opens", async () => {
    await renderApp(view({ kind: "ready", data: makeLicense() }));
    expect(await screen.findByRole("heading", { name: "Fleet 50" })).toBeInTheDocument();
    expect(screen.getByText("PNL-••••-••••-91CD")).toBeInTheDocument();
    expect(screen.getByText("Abuse protection")).toBeInTheDocument();
  });

  it("shows each question to a license server", async () => {
    const at = "2026-03-10T15:02:00Z";
    const checks = [
      { at, server: "lic2.example.com", ok: true, outcome: "active", took_ms: 84 },
      { at, server: "lic1.example.com", ok: false, outcome: "HTTP 503", took_ms: 1200 },
    ];
    await renderApp(view({ kind: "ready", data: makeLicense({ checks }) }));
    const list = await screen.findByRole("list", { name: "Checks" });
    expect(list).toHaveTextContent("lic2.example.comLicense confirmed");
    expect(list).toHaveTextContent("lic1.example.comHTTP 503");
    expect(list).toHaveTextContent("1,200 ms");
  });

  it("draws the grace period from the first failure of the server, not from its last answer", async () => {
    const hour = 3_600_000;
    const iso = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
    const grace = makeLicense({
      state: "grace",
      reason: "unreachable",
      last_contact_at: iso(-18.5),
      grace_since: iso(-10.5),
      grace_until: iso(37.5),
    });
    await renderApp(view({ kind: "ready", data: grace }));
    expect(await screen.findByRole("img", { name: "10 of 48 hours of grace used" })).toBeInTheDocument();
    expect(screen.getByText("since the license server first failed")).toHaveTextContent(
      formatMoment(grace.grace_since!, "en"),
    );
  });

  it("tells a signed refusal apart from an unreachable server", async () => {
    await renderApp(
      view({ kind: "ready", data: makeLicense({ state: "degraded", reason: "refused", read_only: true }) }),
    );
    expect(await screen.findByText("The license server refused this license")).toBeInTheDocument();
  });

  it("says that another panel has not confirmed the change, also when no license is left", async () => {
    await renderApp(
      view({
        kind: "ready",
        data: makeLicense({
          state: "degraded",
          reason: "removed",
          read_only: true,
          plan: null,
          key_masked: null,
          unconfirmed: true,
        }),
      }),
    );
    expect(
      await screen.findByText(/^The change is saved\. Another panel on this database has not confirmed it in time/),
    ).toHaveRole("status");
  });

  it("says nothing of other panels where all of them know", async () => {
    await renderApp(view({ kind: "ready", data: makeLicense() }));
    expect(await screen.findByRole("heading", { name: "Fleet 50" })).toBeInTheDocument();
    expect(screen.queryByText(/Another panel/)).not.toBeInTheDocument();
  });

  it("closes the acts with a reason, and keeps them reachable", async () => {
    await renderApp(view({ kind: "ready", data: makeLicense() }, "Needs the permission license.manage"));
    const remove = await screen.findByRole("button", { name: /^Remove…/ });
    expect(remove).toHaveAttribute("aria-disabled", "true");
    expect(remove).toHaveAccessibleDescription("Needs the permission license.manage");
  });
});
