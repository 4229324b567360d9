import { screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import { SecurityView } from "./security-section";
import { makeSecurity } from "./testing";

describe("the section about the panel and its security", () => {
  it("names the variable of each value, and whether the operator has set it", async () => {
    await renderApp(<SecurityView state={{ kind: "ready", data: makeSecurity() }} />);
    expect((await screen.findByText("PANEL_TRUSTED_PROXIES")).nextSibling).toHaveTextContent("set by you");
    expect(screen.getByText("PANEL_SESSION_TTL_HOURS").nextSibling).toHaveTextContent("not set, default");
    expect(screen.getByText("argon2id, 19.0 MB, t=2, p=1")).toBeInTheDocument();
    expect(screen.queryByText("Warnings")).not.toBeInTheDocument();
  });

  it("puts what is wrong at the top with the way out", async () => {
    const good = makeSecurity();
    await renderApp(
      <SecurityView
        state={{
          kind: "ready",
          data: { ...good, trusted_proxies: { ...good.trusted_proxies, given: false, list: [], ignored: true } },
        }}
      />,
    );
    expect(await screen.findByRole("list", { name: "Warnings" })).toHaveTextContent(
      "Put the proxy's address into PANEL_TRUSTED_PROXIES",
    );
  });

  it("retries after a failure", async () => {
    const retry = vi.fn();
    await renderApp(
      <SecurityView
        state={{ kind: "error", error: new Problem({ status: 503, code: "unavailable", request_id: "r-1" }), retry }}
      />,
    );
    (await screen.findByRole("button", { name: "Retry" })).click();
    expect(retry).toHaveBeenCalledOnce();
  });
});
