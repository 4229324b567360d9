import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import { ProblemNote } from "./problem-view";

const refusal = (code: string, extra: object = {}) => (
  <ProblemNote error={new Problem({ status: 403, code, detail: "refused", ...extra })} />
);

describe("three refusals with one status are told apart by their code", () => {
  it("names the key that is missing", async () => {
    await renderApp(refusal("permission_denied", { required: ["nodes.edit"] }));
    expect(await screen.findByText(/It needs nodes\.edit/)).toBeInTheDocument();
    expect(screen.queryByRole("link")).not.toBeInTheDocument();
  });

  it("leads from read-only mode to the license", async () => {
    await renderApp(refusal("license_read_only"));
    expect(await screen.findByRole("link", { name: "Open the license" })).toHaveAttribute("href", "/license");
  });

  it("leads from a blocked feature to the plan", async () => {
    await renderApp(refusal("license_feature_blocked", { feature: "abuse" }));
    expect(await screen.findByRole("link", { name: "See what your plan opens" })).toHaveAttribute("href", "/license");
  });
});
