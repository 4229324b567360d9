import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { AttentionLines } from "@/testing/attention-lines";
import { pageOf } from "@/testing/serve";
import { renderApp } from "@/testing/render-app";
import part from "./proxypanel-overview";
import { makeConnection, serve } from "./testing";

it("the overview tells connections that cannot be used, or not fully", async () => {
  const { queries } = serve({
    "GET /proxypanel/connections": pageOf(
      makeConnection({ id: "1", label: "Main", state: "ok" }),
      makeConnection({ id: "2", label: "Asia", state: "unreachable" }),
      makeConnection({ id: "3", label: "Trial", state: "degraded" }),
      makeConnection({ id: "4", label: "Fresh", state: "unchecked" }),
    ),
  });
  await renderApp(<AttentionLines part={part} />, { queries });
  const lost = "crit | Asia | Cannot be reached | its users and hosts are not kept in step | /proxypanel/2";
  expect(await screen.findByText(lost)).toBeInTheDocument();
  expect(screen.getByText("warn | Trial | Works with limits | /proxypanel/3")).toBeInTheDocument();
  expect(screen.queryByText(/Main|Fresh/)).not.toBeInTheDocument();
});
