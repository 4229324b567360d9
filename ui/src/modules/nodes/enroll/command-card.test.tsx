import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { makeNode } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import type { Enrollment } from "../shared/types";
import { CommandCard } from "./command-card";
import type { EnrollmentState } from "./use-enrollment";

const issued = {
  created_at: "2026-03-11T11:59:00Z",
  expires_at: "2099-01-01T00:00:00Z",
  install: { command: "curl … | sudo PANEL_TOKEN=pne_secret sh", url: "https://panel.example" },
} as Enrollment;

async function show(enrolled_at: string | null) {
  const node = makeNode();
  const enrollment = { issued, busy: false, error: undefined, rotate: () => undefined } as unknown as EnrollmentState;
  await renderApp(
    <CommandCard node={{ ...node, agent: { ...node.agent, enrolled_at } }} enrollment={enrollment} block={undefined} />,
  );
}

describe("the command that binds an agent", () => {
  it("is shown while its token can be used", async () => {
    await show(null);
    expect(await screen.findByText(/pne_secret/)).toBeInTheDocument();
  });

  it("stays for an agent that was bound before: it binds another server", async () => {
    await show("2026-03-01T00:00:00Z");
    expect(await screen.findByText(/pne_secret/)).toBeInTheDocument();
  });

  it("is gone once it was run, with its token and its countdown", async () => {
    await show("2026-03-11T12:00:00Z");
    expect(await screen.findByText(/the token is used up/)).toBeInTheDocument();
    expect(screen.queryByText(/pne_secret/)).not.toBeInTheDocument();
    expect(screen.queryByText(/valid for/)).not.toBeInTheDocument();
  });
});
