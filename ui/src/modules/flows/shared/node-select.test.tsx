import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { serveFake } from "../testing/serve-fake";
import { NodeSelect } from "./node-select";

it("lets the panel search for a node and never loads the fleet", async () => {
  const panel = serveFake(fakeState());
  const choose = vi.fn();
  await renderApp(<NodeSelect label="Node" value={null} onChange={choose} />, { queries: panel.queries });
  const field = await screen.findByRole("combobox", { name: "Node" });
  await userEvent.type(field, "vie");
  await waitFor(() => expect(panel.asked.map(({ path }) => path)).toContain("/api/v1/nodes/brief?limit=20&q=vie"));
  await userEvent.click(await screen.findByRole("option", { name: "vie-01, Vienna" }));
  expect(choose.mock.calls[0]![0]).toBe("n-vie");
  expect(panel.asked.filter(({ path }) => path.includes("cursor"))).toEqual([]);
});

it("names a chosen node that is not among the first ones", async () => {
  const panel = serveFake(fakeState());
  await renderApp(<NodeSelect label="Node" value="n-lon" onChange={() => undefined} />, { queries: panel.queries });
  expect(await screen.findByDisplayValue("lon-01, London")).toBeInTheDocument();
});
