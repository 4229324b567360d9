import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { session } from "@/api/session";
import { renderApp } from "@/testing/render-app";
import { RestoredCard } from "./list/restored-card";
import RestorePage from "./restore/restore-page";
import RunPage from "./run/run-page";
import { makeProfile, makeRun, makeTest, pageOf, profileId, refusal, runId, serve } from "./testing";

const full = makeTest({ mode: "full", state: "running", verdict: "", finished_at: null, report: null, step: "saving" });
const base = () => ({
  "GET /restores": pageOf(),
  [`GET /profiles/${profileId}`]: { body: makeProfile() },
  [`GET /runs/${runId}`]: { body: makeRun() },
});

async function ask(replies: Parameters<typeof serve>[0] = {}) {
  const panel = serve({ ...base(), ...replies });
  const where = { path: `/backups/runs/${runId}`, route: "/backups/runs/$id" };
  const drawn = await renderApp(<RunPage />, { queries: panel.queries, ...where });
  await userEvent.click(await screen.findByRole("button", { name: "Restore…" }));
  return { ...panel, ...drawn, dialog: within(await screen.findByRole("dialog")) };
}

async function watch(...answers: object[]) {
  serve({ [`GET /restores/${full.id}`]: answers });
  const where = { path: `/backups/restoring/${full.id}`, route: "/backups/restoring/$id" };
  await renderApp(<RestorePage />, where);
}

const away = { status: 503, body: { status: 503, code: "unavailable" } };
const patiently = { timeout: 6_000 };

describe("restoring the panel", () => {
  it("opens only after the name of the profile was typed, and says what follows", async () => {
    const { dialog, written, address } = await ask({ "POST /restores": { status: 202, body: full } });
    expect(dialog.getByText("What was written since the backup is gone.")).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Restore the panel" }));
    expect(written()).toEqual([]);
    await userEvent.type(dialog.getByLabelText("Type Nightly to go on"), "Nightly");
    await userEvent.click(dialog.getByRole("button", { name: "Restore the panel" }));
    await expect.poll(address).toBe(`/backups/restoring/${full.id}`);
    expect(written()[0]!.body).toEqual({ mode: "full", run_id: runId, confirm: "Nightly" });
  });

  it("asks for the master key of that time when it is another one", async () => {
    const { dialog } = await ask({ "POST /restores": refusal(422, "restore_key_mismatch") });
    await userEvent.type(dialog.getByLabelText("Type Nightly to go on"), "Nightly");
    await userEvent.click(dialog.getByRole("button", { name: "Restore the panel" }));
    expect(await dialog.findByLabelText("Master key of that time")).toBeInTheDocument();
  });
});

describe("the page of a restore", () => {
  it("follows the steps while the panel is away, until its sessions are gone", async () => {
    await watch({ body: full }, away, { status: 401, body: { status: 401, code: "no_session" } });
    expect(await screen.findByText("Saves the current database")).toBeInTheDocument();
    expect(await screen.findByText("The panel is changing over…", {}, patiently)).toBeInTheDocument();
    expect(await screen.findByRole("heading", { name: "The panel is restored" }, patiently)).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Sign in" })).toHaveAttribute("href", "/login?next=%2Fbackups");
    expect(session.getState().token).toBeUndefined();
  });

  it("says that nothing was changed when it failed", async () => {
    await watch({ body: { ...full, state: "failed", error: "the backup is damaged or was changed" } });
    expect(await screen.findByRole("heading", { name: "The restore failed" })).toBeInTheDocument();
    expect(screen.getByText("The backup is damaged or was changed.")).toBeInTheDocument();
    expect(screen.getByText("Nothing of the panel was changed.")).toBeInTheDocument();
    expect(session.getState().token).toBe("ps_test");
  });
});

describe("after a restore", () => {
  const outcome = {
    artefact: "panel-20261123t033000z-nightly",
    snapshot: "panel-20261123t080000z-before",
    continued_after: 1234,
    license_kept: true,
    raised: 3,
    enrolled_since: [{ id: "n", name: "waw-03", enrolled_at: "2026-11-23T07:00:00Z" }],
  };

  it("names the database of before and the nodes that the backup does not know", async () => {
    await renderApp(<RestoredCard restores={[makeTest({ mode: "full", outcome })]} />);
    expect(await screen.findByText(outcome.snapshot)).toBeInTheDocument();
    expect(screen.getByText("continues after entry 1,234")).toBeInTheDocument();
    expect(screen.getByText("waw-03")).toBeInTheDocument();
  });

  it("is no news after a week, and tests are none", async () => {
    const old = makeTest({ mode: "full", outcome, finished_at: "2026-01-01T00:00:00Z" });
    const { container } = await renderApp(<RestoredCard restores={[makeTest(), old]} />);
    expect(container.querySelector("section")).toBeNull();
  });
});
