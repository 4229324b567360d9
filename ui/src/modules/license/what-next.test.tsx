import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { makeLicense } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { WhatNext } from "./what-next";

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const grace = (left: number) =>
  makeLicense({ state: "grace", grace_since: inHours(left - 48), grace_until: inHours(left) });

it("announces the amber notice while it is to come, and not when it is there", async () => {
  const { unmount } = await renderApp(<WhatNext license={grace(30)} />);
  expect(await screen.findByText("The notice turns amber.")).toBeInTheDocument();
  unmount();
  await renderApp(<WhatNext license={grace(20)} />);
  expect(await screen.findByText(/the notice is amber/)).toBeInTheDocument();
  expect(screen.queryByText("The notice turns amber.")).not.toBeInTheDocument();
});
