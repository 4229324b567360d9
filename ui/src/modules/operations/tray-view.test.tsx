import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { countInTitle, nameInTitle } from "@/components/layout/page-title";
import { renderApp } from "@/testing/render-app";
import type { Operation } from "./api";
import { TrayView } from "./tray-view";

const operation = (change: Partial<Operation>): Operation => ({
  id: "1",
  kind: "backups.run",
  about: { type: "profile", id: "7", name: "nightly" },
  state: "running",
  progress: 40,
  started_by: "anna",
  error: "",
  created_at: new Date().toISOString(),
  finished_at: null,
  ...change,
});

const nothing = { error: null, onRetry: () => undefined, onCancel: () => undefined, cancelling: undefined };

describe("the tray", () => {
  it("shows how far something is, and cancels it", async () => {
    const onCancel = vi.fn();
    await renderApp(<TrayView {...nothing} operations={[operation({})]} onCancel={onCancel} />);
    expect(await screen.findByText("nightly", { exact: false })).toBeInTheDocument();
    expect(screen.getByRole("progressbar")).toHaveAttribute("value", "40");
    await userEvent.click(screen.getByRole("button", { name: "Cancel Backup" }));
    expect(onCancel).toHaveBeenCalledWith("1");
  });

  it("says why something failed and offers nothing to cancel", async () => {
    await renderApp(
      <TrayView
        {...nothing}
        operations={[operation({ state: "failed", error: "no space left", finished_at: new Date().toISOString() })]}
      />,
    );
    expect(await screen.findByText("no space left")).toBeInTheDocument();
    expect(screen.queryByRole("button")).not.toBeInTheDocument();
  });

  it("says that nothing was started", async () => {
    await renderApp(<TrayView {...nothing} operations={[]} />);
    expect(await screen.findByText(/Nothing was started yet/)).toBeInTheDocument();
  });

  it("offers to ask again after a failure", async () => {
    const onRetry = vi.fn();
    await renderApp(
      <TrayView
        {...nothing}
        operations={undefined}
        error={new Problem({ status: 500, code: "internal" })}
        onRetry={onRetry}
      />,
    );
    await userEvent.click(await screen.findByRole("button", { name: "Retry" }));
    expect(onRetry).toHaveBeenCalled();
  });
});

describe("the browser's title", () => {
  it("carries the count whatever the page is called", () => {
    countInTitle(2);
    nameInTitle("Nodes");
    expect(document.title).toBe("(2) Nodes · Panel");
    countInTitle(0);
    expect(document.title).toBe("Nodes · Panel");
  });
});
