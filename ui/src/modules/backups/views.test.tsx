import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import BackupsPage from "./list/backups-page";
import { ProfilesView } from "./list/profiles-view";
import RunPage from "./run/run-page";
import {
  artefact,
  makeActive,
  makePartial,
  makePlace,
  makeProfile,
  makeRun,
  makeTest,
  pageOf,
  profileId,
  refusal,
  runId,
  serve,
} from "./testing";

const base = () => ({
  "GET /profiles": pageOf(makeProfile()),
  "GET /runs": pageOf(makeRun()),
  "GET /restores": pageOf(makeTest()),
  [`GET /profiles/${profileId}`]: { body: makeProfile() },
  [`GET /runs/${runId}`]: { body: makeRun() },
});

async function list(replies: Parameters<typeof serve>[0] = base(), permissions?: string[]) {
  const panel = serve(replies, permissions);
  const drawn = await renderApp(<BackupsPage />, { queries: panel.queries, path: "/backups", route: "/backups" });
  return { ...panel, ...drawn };
}

async function run(replies: Parameters<typeof serve>[0] = {}, permissions?: string[]) {
  const panel = serve({ ...base(), ...replies }, permissions);
  const where = { path: `/backups/runs/${runId}`, route: "/backups/runs/$id" };
  const drawn = await renderApp(<RunPage />, { queries: panel.queries, ...where });
  return { ...panel, ...drawn };
}

const rowOf = async (table: string, name: RegExp) =>
  within(await screen.findByRole("table", { name: table })).getByRole("row", { name });

describe("the page of backups", () => {
  it("begins with the age of the last good backup and of the last good restore test", async () => {
    await list();
    const state = within(await screen.findByRole("region", { name: "State of backups" }));
    expect(state.getByText("Last good backup").parentElement).toHaveTextContent("3 h ago");
    expect(await state.findByText(/^equal: 64 tables, 12,345 rows$/)).toBeInTheDocument();
    expect(state.getByText("Last good restore test").parentElement).toHaveTextContent("2 h ago");
  });

  it("names the profile that is late in place of the newest good one", async () => {
    const late = makeProfile({ id: "late", name: "Weekly", last_success_at: null });
    await list({ ...base(), "GET /profiles": pageOf(makeProfile(), late) });
    expect(await screen.findByText("Weekly is late")).toBeInTheDocument();
    expect(screen.getByText("Late")).toBeInTheDocument();
  });

  it("does not hide a newer test that failed behind an older good one", async () => {
    const failed = makeTest({ id: "f", verdict: "failed", state: "failed", error: "3 rows differ" });
    await list({ ...base(), "GET /restores": pageOf(failed, makeTest()) });
    expect(await screen.findByRole("link", { name: /A newer test failed/ })).toHaveAttribute(
      "href",
      `/backups/runs/${runId}`,
    );
  });

  it("says schedules in words, with zone and next run", async () => {
    await list();
    const row = await rowOf("Profiles", /Nightly/);
    expect(row).toHaveTextContent("Every day at 03:30");
    expect(row).toHaveTextContent("Europe/Moscow");
    expect(row).toHaveTextContent("next in 4 h");
    expect(row).toHaveTextContent("Local folder, S3");
    expect(row).toHaveTextContent("Encrypted");
    expect(row).not.toHaveTextContent("30 3 * * *");
  });

  it("says what backups are for while there is none", async () => {
    await list({ ...base(), "GET /profiles": pageOf(), "GET /runs": pageOf(), "GET /restores": pageOf() });
    expect(await screen.findByText("Nothing is backed up yet")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Add profile" })).toHaveAttribute("href", "/backups/profiles/new");
    expect(screen.queryByText("Runs")).not.toBeInTheDocument();
  });

  it("draws the sizes, and gives them as a table", async () => {
    await list();
    expect(await screen.findByRole("img", { name: "Size over time: Nightly, 1 backup, 2.00 MB" })).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Show as a table" }));
    expect(screen.getByRole("region", { name: "Size over time: Nightly" })).toHaveTextContent("2.00 MB");
  });

  it("says what failed to load, and tries again", async () => {
    const retry = vi.fn();
    const error = new Problem({ status: 503, code: "unavailable" });
    await renderApp(
      <ProfilesView
        state={{ kind: "error", error, retry }}
        last={new Map()}
        block={undefined}
        add={null}
        onPause={() => undefined}
        onRemove={() => undefined}
      />,
    );
    expect(await screen.findByText("The profiles were not loaded")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(retry).toHaveBeenCalledOnce();
  });

  it("is read, and not changed, by whoever may only see it", async () => {
    await list(base(), ["backups.view"]);
    const row = within(await rowOf("Profiles", /Nightly/));
    expect(row.getByRole("button", { name: "Run now" })).toHaveAccessibleDescription(
      "Needs the permission backups.manage",
    );
    expect(screen.getByRole("button", { name: /^Add profile/ })).toHaveAttribute("aria-disabled", "true");
  });
});

describe("starting a backup", () => {
  it("opens its run", async () => {
    const { written, address } = await list({
      ...base(),
      "POST /runs": { status: 202, body: makeActive({ state: "queued" }) },
    });
    await userEvent.click(within(await rowOf("Profiles", /Nightly/)).getByRole("button", { name: "Run now" }));
    await expect.poll(address).toBe(`/backups/runs/${runId}`);
    expect(written()[0]).toMatchObject({ method: "POST", path: "/runs", body: { profile_id: profileId } });
  });

  it("is replaced by the run that goes on", async () => {
    await list({ ...base(), "GET /runs": pageOf(makeActive()), [`GET /runs/${runId}`]: { body: makeActive() } });
    const row = within(await rowOf("Profiles", /Nightly/));
    const open = await row.findByRole("link", { name: /^Running since \d\d:\d\d · open$/ });
    expect(open).toHaveAttribute("href", `/backups/runs/${runId}`);
    expect(row.queryByRole("button", { name: "Run now" })).not.toBeInTheDocument();
  });

  it("shows that run, and no refusal, where somebody else was faster", async () => {
    const replies = {
      ...base(),
      "GET /runs": [pageOf(makeRun()), pageOf(makeRun()), pageOf(makeRun()), pageOf(makeActive())],
      [`GET /runs/${runId}`]: { body: makeActive() },
      "POST /runs": refusal(409, "backup_run_active"),
    };
    await list(replies);
    const row = within(await rowOf("Profiles", /Nightly/));
    await userEvent.click(row.getByRole("button", { name: "Run now" }));
    expect(await row.findByRole("link", { name: /^Running since/ })).toBeInTheDocument();
    expect(screen.queryByRole("alert")).not.toBeInTheDocument();
  });
});

describe("the list of runs", () => {
  it("says the end, the destinations, the time and the size of each", async () => {
    await list({ ...base(), "GET /runs": pageOf(makePartial()) });
    const row = await rowOf("Runs", /Nightly/);
    expect(row).toHaveTextContent("Partial");
    expect(row).toHaveTextContent("S3: There is no such bucket.");
    expect(row).toHaveTextContent("42 s");
    expect(row).toHaveTextContent("2.00 MB");
    expect(within(row).getByRole("img", { name: "Failed" })).toBeInTheDocument();
  });

  it("moves while a run goes on", async () => {
    await list({
      ...base(),
      "GET /runs": pageOf(makeActive({ bytes: 0 })),
      [`GET /runs/${runId}`]: { body: makeActive({ bytes: 3 * 1_048_576 }) },
    });
    const row = await rowOf("Runs", /Nightly/);
    expect(
      await within(row).findByText(/Writes to the destinations, 3.00 MB|Writes to the destinations/),
    ).toBeVisible();
  });
});

describe("profiles", () => {
  it("are paused without losing anything else", async () => {
    const { written } = await list({ ...base(), [`PATCH /profiles/${profileId}`]: { body: makeProfile() } });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Nightly" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Pause the schedule" }));
    await expect.poll(written).toHaveLength(1);
    expect(written()[0]!.body).toEqual({ revision: 7, enabled: false });
  });

  it("are removed only by their name, with what follows", async () => {
    const { written } = await list({ ...base(), [`DELETE /profiles/${profileId}`]: { status: 204 } });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Nightly" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Remove profile" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/The backups themselves stay/)).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Remove profile" }));
    expect(written()).toEqual([]);
    await userEvent.type(dialog.getByRole("textbox"), "Nightly");
    await userEvent.click(dialog.getByRole("button", { name: "Remove profile" }));
    await expect.poll(written).toHaveLength(1);
  });
});

describe("a run", () => {
  it("says what became of it at each destination, and why one failed", async () => {
    await run({ [`GET /runs/${runId}`]: { body: makePartial() } });
    const list = within(await screen.findByRole("list", { name: "Destinations" }));
    expect(list.getByText("Has the backup")).toBeInTheDocument();
    expect(list.getByText("There is no such bucket.")).toBeInTheDocument();
    expect(list.getByText(/answered NoSuchBucket/)).toBeInTheDocument();
    expect(screen.getByText("1 of 2 have it")).toBeInTheDocument();
  });

  it("names the drop-in for a folder that the service may not write", async () => {
    const failed = makePlace({
      state: "failed",
      error: "make the folder of backups: read-only file system",
      url_hint: "/mnt/usb",
    });
    const error = "no destination takes the backup";
    await run({
      [`GET /runs/${runId}`]: { body: makeRun({ state: "failed", artefact: null, error, destinations: [failed] }) },
    });
    expect(await screen.findByText(/ReadWritePaths=\/mnt\/usb/)).toBeInTheDocument();
    expect(screen.getByText("No destination took the backup.")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Download" })).not.toBeInTheDocument();
  });

  it("says what it does while it goes on, and is cancelled after a question", async () => {
    const { written } = await run({
      [`GET /runs/${runId}`]: { body: makeActive() },
      [`POST /runs/${runId}/cancel`]: { status: 202, body: makeActive() },
    });
    expect(await screen.findByText("Writes to the destinations")).toBeInTheDocument();
    expect(screen.getByText("1.00 MB")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Cancel…" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.click(dialog.getByRole("button", { name: "Cancel backup" }));
    await expect.poll(() => written().map(({ path }) => path)).toEqual([`/runs/${runId}/cancel`]);
    expect(await screen.findByRole("button", { name: "Cancelling…" })).toBeInTheDocument();
  });

  it("is neither downloaded nor tested once no destination has it", async () => {
    const gone = makeRun({ destinations: [makePlace({ state: "removed" })] });
    await run({ [`GET /runs/${runId}`]: { body: gone } });
    const act = await screen.findByRole("button", { name: "Download" });
    expect(act).toHaveAccessibleDescription("No destination has this backup any more");
  });

  it("is not fetched before a place for its file was chosen; to choose none is no failure", async () => {
    const pick = vi.fn(() => Promise.reject(new DOMException("no place", "AbortError")));
    vi.stubGlobal("showSaveFilePicker", pick);
    await run();
    await userEvent.click(await screen.findByRole("button", { name: "Download" }));
    expect(pick).toHaveBeenCalledWith({ suggestedName: `${artefact.name}.tar` });
    expect(screen.queryByText("The backup was not downloaded")).not.toBeInTheDocument();
    vi.unstubAllGlobals();
  });

  it("is not fetched from a messenger", async () => {
    const chat = makeRun({ destinations: [makePlace({ kind: "messenger" })] });
    await run({ [`GET /runs/${runId}`]: { body: chat } });
    const act = await screen.findByRole("button", { name: "Download" });
    expect(act).toHaveAccessibleDescription("Only a messenger has it, which gives no files back");
  });

  it("shows its restore tests with what they have compared", async () => {
    await run();
    const tests = within(await screen.findByRole("list", { name: "Restore tests" }));
    expect(tests.getByText("Equal")).toBeInTheDocument();
    expect(tests.getByText("64 tables equal, 12,345 rows")).toBeInTheDocument();
    expect(tests.getByText("900 journal entries proved")).toBeInTheDocument();
  });
});

describe("a restore test", () => {
  const begun = makeTest({ state: "running", verdict: "", finished_at: null, step: "verifying", report: null });

  it("is started and followed to its verdict", async () => {
    const { written } = await run({
      "GET /restores": pageOf(),
      "POST /restores": { status: 202, body: begun },
      [`GET /restores/${begun.id}`]: [{ body: begun }, { body: makeTest() }],
    });
    await userEvent.click((await screen.findAllByRole("button", { name: "Test restore" }))[0]!);
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.click(dialog.getByRole("button", { name: "Start the test" }));
    expect(await dialog.findByText("Compares tables, secrets and journal")).toBeInTheDocument();
    expect(await dialog.findByText("Equal", {}, { timeout: 4_000 })).toBeInTheDocument();
    expect(written()[0]!.body).toEqual({ mode: "verify", run_id: runId });
  });

  it("asks for the identity of a backup for a recipient", async () => {
    const profile = makeProfile({ encryption: { mode: "age", recipient: "age1x", has_passphrase: false } });
    const { written } = await run({
      [`GET /profiles/${profileId}`]: { body: profile },
      "POST /restores": { status: 202, body: begun },
      [`GET /restores/${begun.id}`]: { body: begun },
    });
    await userEvent.click((await screen.findAllByRole("button", { name: "Test restore" }))[0]!);
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByRole("button", { name: "Start the test" })).toHaveAccessibleDescription(
      "Give the identity that belongs to the recipient",
    );
    await userEvent.type(dialog.getByLabelText("Age identity"), "AGE-SECRET-KEY-1");
    await userEvent.click(dialog.getByRole("button", { name: "Start the test" }));
    await expect.poll(written).toHaveLength(1);
    expect(written()[0]!.body).toMatchObject({ keys: { identity: "AGE-SECRET-KEY-1" } });
  });

  it("asks for the master key of that time when it is another one", async () => {
    await run({ "POST /restores": refusal(422, "restore_key_mismatch") });
    await userEvent.click((await screen.findAllByRole("button", { name: "Test restore" }))[0]!);
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.queryByLabelText("Master key of that time")).not.toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Start the test" }));
    expect(await dialog.findByLabelText("Master key of that time")).toBeInTheDocument();
    expect(dialog.getByRole("alert")).toHaveTextContent("restore_key_mismatch");
  });

  it("tells a test that could not be made from one that failed", async () => {
    const skipped = makeTest({ verdict: "skipped", state: "failed", report: null, error: "interrupted" });
    const findings = ["table accounts: 3 rows, the backup has 4"];
    const failed = makeTest({
      id: "f",
      verdict: "failed",
      state: "failed",
      report: { tables: 63, rows: 1, secrets: 0, journal: 0, findings },
    });
    await run({ "GET /restores": pageOf(skipped, failed) });
    const tests = within(await screen.findByRole("list", { name: "Restore tests" }));
    expect(tests.getByText("Not tested")).toBeInTheDocument();
    expect(tests.getByText("The panel was stopped meanwhile.")).toBeInTheDocument();
    expect(tests.getByText("Not restorable")).toBeInTheDocument();
    expect(tests.getByText(findings[0]!)).toBeInTheDocument();
  });
});
