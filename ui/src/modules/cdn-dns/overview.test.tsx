import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import part from "./cdn-dns-overview";
import { makeCertificate, pageOf, serve } from "./testing";

function Lines() {
  return part
    .useAttention()
    .map(({ id, severity, name, what, members, effect, act }) => (
      <p key={id}>{[severity, name, what, members, effect, act.label].filter(Boolean).join(" | ")}</p>
    ));
}

it("the overview tells certificates that have ended, end soon or could not be renewed, one line for each", async () => {
  const own = (id: string, name: string, left: number, change = {}) =>
    makeCertificate({ id, names: [name], ...change }, left);
  const { queries } = serve({
    "GET /certificates": pageOf(
      own("1", "a.example.com", 60),
      own("2", "b.example.com", 10),
      own("3", "c.example.com", 9),
      own("4", "d.example.com", -1),
      own("5", "e.example.com", 25, { state: "failed", last_error: "no such zone" }),
    ),
  });
  await renderApp(<Lines />, { queries });
  expect(await screen.findByText(/^crit \| d\.example\.com \| has expired \| Clients refuse/)).toBeInTheDocument();
  expect(
    screen.getByText(/^warn \| 2 certificates \| expire soon \| b\.example\.com, c\.example\.com \| .* \| Show/),
  ).toBeInTheDocument();
  expect(
    screen.getByText("warn | e.example.com | could not be issued or renewed | no such zone | Open"),
  ).toBeInTheDocument();
});
