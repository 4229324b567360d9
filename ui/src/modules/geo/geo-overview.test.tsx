import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { AttentionLines } from "@/testing/attention-lines";
import { renderApp } from "@/testing/render-app";
import part from "./geo-overview";
import { makeAsset, pageOf, serve } from "./testing";

it("the overview tells files whose newest version was not taken, and that nodes keep the one before", async () => {
  const { queries } = serve({
    "GET /geo-assets": pageOf(
      makeAsset({ id: "1", name: "geosite.dat", state: "current" }),
      makeAsset({ id: "2", name: "geoip.dat", state: "failed", reject_reason: "source_unreachable" }),
      makeAsset({ id: "3", name: "own.dat", state: "rejected", reject_reason: "truncated", version: null }),
    ),
  });
  await renderApp(<AttentionLines part={part} />, { queries });
  const kept = "warn | geoip.dat | Source not reached | Nodes keep the file that they have. | /geo/2";
  expect(await screen.findByText(kept)).toBeInTheDocument();
  expect(screen.getByText("warn | own.dat | File is cut | /geo/3")).toBeInTheDocument();
  expect(screen.queryByText(/geosite/)).not.toBeInTheDocument();
});
