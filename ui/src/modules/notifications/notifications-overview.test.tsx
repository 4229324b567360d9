import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { AttentionLines } from "@/testing/attention-lines";
import { pageOf } from "@/testing/serve";
import { renderApp } from "@/testing/render-app";
import part from "./notifications-overview";
import { makeDelivery, makeMail, makeWebhook, serve } from "./testing";

const last = (state: "failed" | "sent") => ({ id: "d", state, created_at: "2026-03-11T04:00:00Z", finished_at: null });

it("the overview tells channels whose newest message was not delivered, the messenger among them", async () => {
  const { queries } = serve({
    "GET /channels": pageOf(
      makeWebhook({ id: "1", name: "Pager", last_delivery: last("failed") }),
      makeMail({ id: "2", name: "Mail", last_delivery: last("sent") }),
      makeMail({ id: "3", name: "Old mail", enabled: false, last_delivery: last("failed") }),
    ),
    "GET /deliveries": pageOf(makeDelivery({ state: "failed" })),
  });
  await renderApp(<AttentionLines part={part} />, { queries });
  const where = "the last message was not delivered | /notifications/deliveries";
  expect(await screen.findByText(`warn | Pager | ${where}`)).toBeInTheDocument();
  expect(await screen.findByText(`warn | Messenger | ${where}`)).toBeInTheDocument();
  expect(screen.queryByText(/mail/i)).not.toBeInTheDocument();
});

it("nothing is told where all messages came or none was sent", async () => {
  const { queries } = serve({
    "GET /channels": pageOf(makeWebhook({ name: "Pager", last_delivery: last("sent") })),
    "GET /deliveries": pageOf(),
  });
  const { container } = await renderApp(<AttentionLines part={part} />, { queries });
  await expect.poll(() => queries.isFetching()).toBe(0);
  expect(container.querySelector("p")).toBeNull();
});
