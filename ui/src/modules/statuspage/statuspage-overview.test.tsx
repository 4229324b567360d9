import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { AttentionLines } from "@/testing/attention-lines";
import { renderApp } from "@/testing/render-app";
import part from "./statuspage-overview";
import { serve } from "./testing";

const known = { pages: 1, draft_notices: 0, open_notices: 0, targets_failed: 0, oldest_data_at: null };

it("the overview tells places of status pages that could not be written, and notices that wait", async () => {
  const { queries } = serve({ "GET ": { body: { ...known, targets_failed: 2, draft_notices: 1 } } });
  await renderApp(<AttentionLines part={part} />, { queries });
  const failed = "warn | Status page | 2 places could not be written | /status-page/publishing";
  expect(await screen.findByText(failed)).toBeInTheDocument();
  const waiting = "info | Status page | 1 draft notice waits for you | /status-page/incidents";
  expect(screen.getByText(waiting)).toBeInTheDocument();
});

it("a status page that is as it should be is not told of", async () => {
  const { queries } = serve({ "GET ": { body: known } });
  const { container } = await renderApp(<AttentionLines part={part} />, { queries });
  await expect.poll(() => queries.isFetching()).toBe(0);
  expect(container.querySelector("p")).toBeNull();
});
