import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import part from "./flows-overview";

function Lines() {
  return part
    .useAttention()
    .map(({ id, name, what, about = [] }) => <p key={id}>{[name, what, ...about].join(" | ")}</p>);
}

it("a flow that only runs badly may be told of by its incident, one whose change failed tells that itself", async () => {
  const { queries } = serveFake(
    fakeState({
      flows: [
        fakeFlow({ id: "1", name: "Asia pair", health_state: "down" }),
        fakeFlow({ id: "2", name: "Europe main", health_state: "down", state: "apply_failed" }),
      ],
    }),
  );
  await renderApp(<Lines />, { queries });
  expect(await screen.findByText("Asia pair | Down | 1")).toBeInTheDocument();
  expect(screen.getByText("Europe main | Down")).toBeInTheDocument();
});

it("the tile says in sync only where every flow is, else what is worst and of how many", async () => {
  const inSync = fakeFlow({ id: "1", name: "Asia pair", draft_changes: 0 });
  const differs = fakeFlow({ id: "2", name: "Europe main", drift: { state: "drifted", node_ids: ["1"], stages: [] } });
  const failed = fakeFlow({ id: "3", name: "Backup", state: "apply_failed" });
  const never = fakeFlow({ id: "4", name: "Trial", state: "draft", installed_revision: null });
  for (const [flows, note] of [
    [[never], "none yet"],
    [[inSync], "all in sync"],
    [[inSync, differs], "1 differs"],
    [[inSync, differs, failed], "1 apply failed"],
  ] as const) {
    const { queries } = serveFake(fakeState({ flows: [...flows] }));
    const { unmount } = await renderApp(<part.Tile />, { queries });
    expect(await screen.findByText(note)).toBeInTheDocument();
    unmount();
  }
});
