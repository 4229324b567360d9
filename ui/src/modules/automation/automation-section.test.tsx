import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import { serveUnder } from "@/testing/serve";
import type { Acts, AutomationState } from "./api";
import AutomationSection, { AutomationView } from "./automation-section";

const serve = serveUnder("/api/v1/system/automation");

const running: AutomationState = { stopped: false, by: "", reason: "", at: null };
const stopped: AutomationState = { stopped: true, by: "anna", reason: "strange", at: "2026-03-10T10:00:00Z" };

function makeActs(state: AutomationState, why: Acts["items"][number]["why"] = ""): Acts {
  return {
    state,
    items: [
      {
        name: "flows.promote_canary",
        summary: "Promotes",
        budget: "once",
        why,
        last: { at: "2026-03-09T10:00:00Z", action: "flow.canary_passed", object: "Europe main" },
      },
      { name: "cdndns.keep_records", summary: "Writes records", budget: "often", why, last: null },
    ],
  };
}

describe("the switch that stops everything automatic", () => {
  it("is thrown with a reason, and never without one", async () => {
    const { written, queries } = serve({
      "GET /acts": { body: makeActs(running) },
      "POST /stop": { body: stopped },
    });
    await renderApp(<AutomationSection />, { queries });
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: "Stop everything automatic" }));
    const dialog = await screen.findByRole("dialog");
    const confirm = () => screen.getAllByRole("button", { name: "Stop everything automatic" }).at(-1)!;
    expect(dialog).toHaveTextContent("the renewal of certificates go on");
    await user.click(confirm());
    expect(await screen.findByText("Say why")).toBeInTheDocument();
    expect(written()).toEqual([]);
    await user.type(screen.getByLabelText("Why"), " strange ");
    await user.click(confirm());
    await waitFor(() => expect(written()).toEqual([{ method: "POST", path: "/stop", body: { reason: "strange" } }]));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  it("says who stopped everything, when and why, and lets the panel act again", async () => {
    const { written, queries } = serve({
      "GET /acts": { body: makeActs(stopped, "stopped") },
      "POST /resume": { body: running },
    });
    await renderApp(<AutomationSection />, { queries });
    expect(await screen.findByText(/by anna: strange/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Let the panel act again" }));
    await waitFor(() => expect(written()).toEqual([{ method: "POST", path: "/resume", body: undefined }]));
  });

  it("is closed without settings.manage and open in read-only mode", async () => {
    const { queries } = serve({ "GET /acts": { body: makeActs(running) } }, ["nodes.view"]);
    await renderApp(<AutomationSection />, { queries });
    expect(await screen.findByRole("button", { name: "Stop everything automatic" })).toHaveAttribute(
      "aria-disabled",
      "true",
    );
  });
});

describe("the list of automatic acts", () => {
  it("says of each what bounds it, what keeps it and what it did last", async () => {
    await renderApp(<AutomationView state={{ kind: "ready", data: makeActs(stopped, "read_only") }} />);
    const list = await screen.findByRole("list", { name: "What the panel does by itself" });
    expect(list).toHaveTextContent("Lets the other nodes of a flow follow");
    expect(list).toHaveTextContent("Europe main");
    expect(list).toHaveTextContent("Not done yet");
    expect(screen.getAllByText("off: read-only")).toHaveLength(2);
  });

  it("says what went wrong when it cannot be read", async () => {
    const error = new Problem({ status: 503, code: "unavailable", request_id: "r-1" });
    await renderApp(<AutomationView state={{ kind: "error", error, retry: () => {} }} />);
    expect(await screen.findByRole("button", { name: "Retry" })).toBeInTheDocument();
  });
});
