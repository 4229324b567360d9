import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { LeaveDialog } from "@/components/form/leave-dialog";
import { makeNode } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { serveUnder } from "@/testing/serve";
import AddNodePage from "./add-node-page";

const issued = {
  created_at: "2026-03-11T11:59:00Z",
  expires_at: "2099-01-01T00:00:00Z",
  install: { command: "curl … | sudo PANEL_TOKEN=pne_secret sh", url: "https://panel.example" },
};

const serve = serveUnder("/api/v1");

it("goes on to the command without asking about what it has just stored", async () => {
  const node = makeNode({ name: "par-05" });
  const { written, queries } = serve({
    "POST /nodes": { status: 201, body: node },
    [`GET /nodes/${node.id}`]: { body: node },
    [`POST /nodes/${node.id}/agent-binding`]: { body: { enrollment: issued } },
  });
  const { address } = await renderApp(
    <>
      <AddNodePage />
      <LeaveDialog />
    </>,
    { path: "/nodes/new", route: "/nodes/new", queries },
  );
  await userEvent.click(await screen.findByRole("textbox", { name: "Name" }));
  await userEvent.paste("par-05");
  await userEvent.click(screen.getByRole("button", { name: "Create and show the command" }));
  await expect.poll(address, { timeout: 10_000 }).toContain(node.id);
  expect(screen.queryByRole("button", { name: "Leave without saving" })).toBeNull();
  expect(written()[0]).toMatchObject({ method: "POST", path: "/nodes", body: { name: "par-05" } });
});
