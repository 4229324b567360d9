import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderDialog } from "@/testing/typed-text";
import { makePolicy, makeRun, serve } from "../testing";
import { PolicyDialog } from "./policy-dialog";

describe("self-repair in the form of a policy", () => {
  it("says what its self-repair means, previews it, and saves mode, acts and limits as one", async () => {
    const { queries, written, asked } = serve({
      [`PATCH /policies/${makePolicy().id}`]: { body: makePolicy() },
      "GET /self-heal/dry-run": { body: makeRun() },
    });
    await renderDialog(<PolicyDialog policy={makePolicy()} onClose={vi.fn()} />, { queries });
    const means = within(await screen.findByRole("region", { name: "What this means" }));
    expect(means.getByText(/self-repair proposes to a person: restart core\. It does at most 10/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("radio", { name: "Act by itself" }));
    expect(means.getByText(/self-repair acts by itself: restart core/)).toBeInTheDocument();
    const hourly = screen.getByRole("textbox", { name: "At most so many actions an hour" });
    await userEvent.clear(hourly);
    await userEvent.type(hourly, "4");
    expect(
      asked.some(({ path }) => path === "/self-heal/dry-run"),
      "only when asked",
    ).toBe(false);
    await userEvent.click(screen.getByRole("button", { name: "What would it have done last week?" }));
    expect(await screen.findByText("In the last 7 days it would have had nothing to do.")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]).toMatchObject({
      body: {
        repair: { mode: "auto", actions: ["restart_core"], limits: { max_actions_per_hour: 4, cooldown_s: 300 } },
      },
    });
  });

  it("asks for the share of a pool where a node may be withdrawn", async () => {
    const { queries, written } = serve({ [`PATCH /policies/${makePolicy().id}`]: { body: makePolicy() } });
    await renderDialog(<PolicyDialog policy={makePolicy()} onClose={vi.fn()} />, { queries });
    const label = "Of a pool, withdraw at most, percent";
    expect(await screen.findByRole("checkbox", { name: /^Restart core/ })).toBeChecked();
    expect(screen.queryByRole("textbox", { name: label })).toBeNull();
    await userEvent.click(screen.getByRole("checkbox", { name: /^Withdraw from pools/ }));
    const share = screen.getByRole("textbox", { name: label });
    expect(share).toHaveValue("30");
    await userEvent.clear(share);
    await userEvent.type(share, "50");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]).toMatchObject({
      body: { repair: { actions: ["restart_core", "withdraw_from_pool"], limits: { max_pct_of_pool: 50 } } },
    });
  });

  it("lets a policy hide hosts at proxy panels", async () => {
    const { queries, written } = serve({ [`PATCH /policies/${makePolicy().id}`]: { body: makePolicy() } });
    await renderDialog(<PolicyDialog policy={makePolicy()} onClose={vi.fn()} />, { queries });
    await userEvent.click(await screen.findByRole("checkbox", { name: /^Hide hosts at proxy panels/ }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]).toMatchObject({ body: { repair: { actions: ["restart_core", "hide_proxypanel_hosts"] } } });
  });

  it("without an act only tells, and has nothing to preview", async () => {
    const { queries } = serve({});
    await renderDialog(<PolicyDialog policy={makePolicy()} onClose={vi.fn()} />, { queries });
    await userEvent.click(await screen.findByRole("checkbox", { name: /^Restart core/ }));
    expect(screen.getByText(/Nothing is repaired\./)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /last week/ })).toBeNull();
  });
});
