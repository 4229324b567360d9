import { screen, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { Result } from "./api";
import { ResultDialog } from "./result-dialog";
import { ResultsView } from "./results-view";

const good: Result = {
  id: "01890000-0000-7000-8000-000000000009",
  search_id: "01890000-0000-7000-8000-000000000001",
  node_id: "01890000-0000-7000-8000-000000000002",
  target: "www.example.org:443",
  sni: "www.example.org",
  ip: "93.184.216.34",
  tls_version: "1.3",
  alpn: "h2",
  group: "X25519MLKEM768",
  post_quantum: true,
  h3: false,
  cert: {
    subject: "CN=www.example.org",
    issuer: "CN=An authority",
    not_after: "2026-05-10T00:00:00Z",
    chain_valid: true,
    name_valid: true,
    sans: ["www.example.org"],
  },
  latency_ms: 12.4,
  redirects_to: "",
  is_cdn: false,
  cdn: "",
  dns_matches_ip: true,
  ocsp: false,
  suitability: "suitable",
  score: 95,
  reasons: [{ code: "tls13", effect: "good", points: 15, text: "it speaks TLS 1.3" }],
  checked_at: "2026-03-10T15:02:05Z",
  valid_until: "2026-03-11T15:02:05Z",
  fresh: true,
};

const bad: Result = {
  ...good,
  id: "01890000-0000-7000-8000-00000000000a",
  target: "198.51.100.7:443",
  suitability: "unsuitable",
  score: 30,
  reasons: [
    ...good.reasons,
    { code: "no_h2", effect: "bad", points: 0, text: "x" },
    { code: "made_later", effect: "bad", points: 0, text: "what a newer panel says" },
  ],
};

function draw(items: Result[], change: Partial<Parameters<typeof ResultsView>[0]> = {}) {
  const acts = { onOpen: vi.fn(), sorting: { value: "-score", onChange: vi.fn() } };
  const state = { kind: "ready" as const, data: { items, total: items.length } };
  const view = (
    <ResultsView
      state={state}
      running={false}
      filtered={false}
      more={undefined}
      use={undefined}
      {...acts}
      {...change}
    />
  );
  return renderApp(view).then(() => acts);
}

describe("the results of a search", () => {
  it("say what speaks against a target, also what only the panel has a sentence for", async () => {
    await draw([good, bad]);
    const row = within((await screen.findByText("198.51.100.7:443 (www.example.org)")).closest("tr")!);
    expect(row.getByText("unsuitable")).toBeInTheDocument();
    expect(row.getByText("does not offer HTTP/2; what a newer panel says")).toBeInTheDocument();
    expect(within(screen.getByText("www.example.org:443").closest("tr")!).getByText("12 ms")).toBeInTheDocument();
  });

  it("are taken over, but for those that a listener cannot stand behind or that are too old", async () => {
    const take = vi.fn();
    const stale = { ...good, id: "old", target: "old.example.org:443", fresh: false };
    await draw([good, bad, stale], { use: { take, reason: undefined } });
    const acts = await screen.findAllByRole("button", { name: "Use" });
    for (const act of acts) await user.click(act);
    expect(take).toHaveBeenCalledTimes(1);
    expect(take).toHaveBeenCalledWith(good);
    expect(acts[1]).toHaveAccessibleDescription("A listener cannot stand behind this site");
    expect(acts[2]).toHaveAccessibleDescription("Older than 24 hours; check it again");
  });

  it("open with all that is known of the target", async () => {
    const { onOpen } = await draw([good]);
    await user.click(await screen.findByRole("button", { name: "www.example.org:443" }));
    expect(onOpen).toHaveBeenCalledWith(good);
    await renderApp(<ResultDialog result={good} use={undefined} onClose={() => undefined} />);
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText("speaks TLS 1.3")).toBeInTheDocument();
    expect(dialog.getByText("TLS 1.3 · h2 · X25519MLKEM768")).toBeInTheDocument();
    expect(dialog.getByText("CN=An authority")).toBeInTheDocument();
  });

  it("are waited for while the search runs", async () => {
    await draw([], { running: true });
    expect(await screen.findByText("Nothing yet")).toBeInTheDocument();
  });
});
