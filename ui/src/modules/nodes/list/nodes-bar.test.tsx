import { screen } from "@testing-library/react";
import user from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { makeNode } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { NodesBar } from "./nodes-bar";

const nodes = [makeNode({ id: "a", tags: ["exit", "old"] }), makeNode({ id: "b", state: "disabled", tags: ["old"] })];

async function bar(of = nodes) {
  const act = vi.fn();
  await renderApp(<NodesBar nodes={of} onAct={act} onClear={() => undefined} />);
  return act;
}

it("does every act to all selected nodes", async () => {
  const act = await bar();
  const pick = async (name: string) => {
    await user.click(screen.getByRole("button", { name: "More" }));
    await user.click(await screen.findByRole("menuitem", { name }));
  };
  await user.click(await screen.findByRole("button", { name: "Restart core…" }));
  await user.click(screen.getByRole("button", { name: "Maintenance…" }));
  for (const name of ["Update agent…", "Disable…", "Enable…", "Delete…"]) await pick(name);
  expect(act.mock.calls).toEqual(
    ["restart_core", "maintenance_on", "update_agent", "disable", "enable", "delete"].map((name) => [
      nodes,
      { act: name },
    ]),
  );
});

it("offers the end of a state only where a node is in it", async () => {
  await bar([nodes[0]!]);
  await user.click(await screen.findByRole("button", { name: "More" }));
  expect(await screen.findByRole("menuitem", { name: "Disable…" })).toBeInTheDocument();
  expect(screen.queryByRole("menuitem", { name: "Enable…" })).not.toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "End maintenance…" })).not.toBeInTheDocument();
});

it("adds tags and takes off those that the nodes have", async () => {
  const act = await bar();
  await user.click(await screen.findByRole("button", { name: "Tags…" }));
  await user.click(await screen.findByRole("button", { name: /^Change tags/ }));
  expect(act).not.toHaveBeenCalled();
  await user.type(screen.getByRole("combobox", { name: "Add" }), "edge{Enter}");
  await user.click(screen.getByRole("combobox", { name: "Remove" }));
  await user.click(await screen.findByRole("option", { name: "old" }));
  await user.click(screen.getByRole("button", { name: "Change tags" }));
  expect(act).toHaveBeenCalledWith(nodes, { act: "tags", add_tags: ["edge"], remove_tags: ["old"] });
});
