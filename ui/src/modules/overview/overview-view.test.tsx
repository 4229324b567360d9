import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { OverviewView } from "./overview-view";

const shown = { parts: [], attention: [], steps: [], setupOpen: false };

it("does not say that all is well to an account that cannot see nodes and flows", async () => {
  await renderApp(<OverviewView {...shown} unseen={["Nodes", "Flows"]} />);
  expect(await screen.findByText(/^You cannot see this: Nodes, Flows/)).toBeInTheDocument();
  expect(screen.queryByText(/Nothing needs you/)).not.toBeInTheDocument();
});

it("says that all is well where everything can be seen", async () => {
  await renderApp(<OverviewView {...shown} unseen={[]} />);
  expect(await screen.findByText(/Nothing needs you/)).toBeInTheDocument();
});
