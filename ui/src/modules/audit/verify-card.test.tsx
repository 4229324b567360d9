import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { Finding, Report } from "./api";
import { VerifyCard } from "./verify-card";

const report = (change: Partial<Report> = {}): Report => ({
  state: "intact",
  intact: true,
  complete: true,
  checked: 41,
  first_seq: 1,
  last_seq: 41,
  head: "9f2c",
  heads: 2,
  unsealed: 0,
  findings: [],
  continued: [],
  checked_at: "2026-03-11T12:00:00Z",
  ...change,
});
const finding = (change: Partial<Finding>): Finding => ({
  kind: "edited",
  verdict: "broken",
  seq: 12,
  last_seq: 12,
  entry_id: "e-12",
  detail: "the entry is not what was sealed",
  ...change,
});

async function proof(of: Report) {
  const open = vi.fn();
  await renderApp(
    <VerifyCard verify={{ data: of, error: null, mutate: () => undefined }} onOpen={open} onClose={() => undefined} />,
  );
  return open;
}

describe("the proof of the journal", () => {
  it("says that the chain is whole, and against what it was held", async () => {
    await proof(report());
    expect(await screen.findByText("The journal is intact.")).toBeInTheDocument();
    expect(screen.getByText(/numbers 1 to 41\. Compared with 2 heads/)).toBeInTheDocument();
  });

  it("says where the chain continues after a restore", async () => {
    await proof(report({ continued: [{ after: 12, seq: 13, at: "2026-03-10T12:00:00Z" }] }));
    expect(await screen.findByText(/Continued after a restore at entry 12\./)).toBeInTheDocument();
  });

  it("names the exact entry and opens it", async () => {
    const open = await proof(report({ state: "broken", intact: false, findings: [finding({})] }));
    expect(await screen.findByText("The journal was tampered with in 1 place.")).toBeInTheDocument();
    expect(screen.getByText("Entry 12: changed after it was written")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Show: Entry 12" }));
    expect(open).toHaveBeenCalledWith("e-12");
  });

  it("names a run of entries that are gone, with nothing to open", async () => {
    await proof(
      report({
        state: "broken",
        intact: false,
        findings: [finding({ kind: "removed", seq: 7, last_seq: 9, entry_id: "" })],
      }),
    );
    expect(await screen.findByText("Entries 7 to 9: removed")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /^Show/ })).not.toBeInTheDocument();
  });

  it("does not call a journal whole that was not read to the end", async () => {
    await proof(report({ state: "unproven", intact: false, complete: false }));
    expect(await screen.findByText("Not proven to the end.")).toBeInTheDocument();
  });

  it("calls unproven what nothing contradicts and nobody can prove", async () => {
    const unproven = finding({
      kind: "unnumbered",
      verdict: "unproven",
      seq: 1,
      last_seq: 30,
      entry_id: "",
      detail: "30 entries of an earlier version",
    });
    await proof(report({ state: "unproven", intact: false, findings: [unproven] }));
    expect(await screen.findByText(/^Unproven in 1 place/)).toBeInTheDocument();
    expect(
      screen.getByText("Entries 1 to 30: written by an earlier version, which could not show a gap"),
    ).toBeInTheDocument();
  });

  it("counts what is broken when other things are unproven beside it", async () => {
    await proof(
      report({
        state: "broken",
        intact: false,
        findings: [finding({}), finding({ kind: "unmarked", verdict: "unproven", seq: 13, last_seq: 13 })],
      }),
    );
    expect(await screen.findByText("The journal was tampered with in 1 place.")).toBeInTheDocument();
    expect(screen.getByText("Entry 13: nobody can say who wrote it")).toBeInTheDocument();
  });
});
