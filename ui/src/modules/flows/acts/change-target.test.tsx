import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeRedraw } from "../testing/redraw-sample";
import { fakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import { ChangeTargetDialog } from "./change-target-dialog";

const flows = [fakeFlow({ id: "1", name: "Asia pair" }), fakeFlow({ id: "2", name: "Lab" })];
const left = { state: "left_out", code: "agent_offline", error: "msk-01: the node's agent is not connected" } as const;

async function open(redraw = fakeRedraw(flows)) {
  const panel = serveFake(fakeState({ flows, redraw }));
  const page = await renderApp(<ChangeTargetDialog flows={flows} onClose={() => undefined} />, {
    path: "/flows",
    route: "/flows",
    queries: panel.queries,
  });
  await screen.findByLabelText("New target");
  return { ...page, ...panel };
}

describe("changing the REALITY target of many flows", () => {
  it("says per flow what it will do before anything changes, and names whom it leaves out", async () => {
    const told = fakeRedraw(flows);
    told.items[1] = { ...told.items[1]!, ...left };
    const { written } = await open(told);
    expect(screen.getByRole("button", { name: "Change drafts" })).toHaveAttribute("aria-disabled", "true");
    await userEvent.type(screen.getByLabelText("New target"), "new.example.net");
    const effects = await screen.findByRole("link", { name: "Asia pair" });
    expect(effects.closest("li")).toHaveTextContent("will be checked from msk-01");
    const kept = within(screen.getByRole("region", { name: "Not included" }));
    expect(kept.getByText("Lab").closest("li")).toHaveTextContent(
      "a node is offline and cannot check the target: msk-01",
    );
    expect(written().every(({ body }) => (body as { dry_run?: boolean }).dry_run === true)).toBe(true);
  });

  it("changes the drafts and leads to their plans", async () => {
    const { written, address } = await open();
    await userEvent.type(screen.getByLabelText("New target"), "new.example.net");
    await screen.findByRole("link", { name: "Lab" });
    await userEvent.click(screen.getByRole("button", { name: "Change drafts" }));
    expect(await screen.findByText("2 drafts are changed; nothing is installed yet")).toBeInTheDocument();
    expect(written().at(-1)!.body).toEqual({ target: "new.example.net", flow_ids: ["1", "2"] });
    await userEvent.click(screen.getByRole("button", { name: "Review plans…" }));
    await waitFor(() => expect(decodeURIComponent(address())).toContain("/flows/bulk?flows=1,2"));
  });

  it("takes all flows that have the old target when that is chosen", async () => {
    const { written } = await open();
    await userEvent.type(screen.getByLabelText("New target"), "new.example.net");
    await userEvent.click(screen.getByRole("combobox", { name: "Where" }));
    await userEvent.click(await screen.findByRole("option", { name: /In all flows with/ }));
    await waitFor(() => expect(written().at(-1)!.body).toMatchObject({ from: expect.any(String), dry_run: true }));
  });
});
