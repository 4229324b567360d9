import i18next from "i18next";
import { describe, expect, it } from "vitest";
import { makeNode } from "@/testing/fixtures";
import { startI18n } from "@/text/i18n";
import { byRegion } from "../fleet/by-region";
import { enrollTicks, isComplete } from "../enroll/enroll-ticks";
import { installForms } from "../enroll/install-forms";
import { nodeNameRule } from "./node-name";
import { bySeverity, configOf, healthOf, needsAttention } from "./node-status";
import { bulkFailures } from "../list/bulk-failures";
import { csvOf } from "@/components/table/csv";
import { nodesCsvFields } from "../list/nodes-csv";
import type { FleetCell } from "./fleet";
import type { Enrollment } from "./types";

const healthy = makeNode();

describe("the two axes of a node", () => {
  it("tells health and configuration apart", () => {
    expect([healthOf(healthy).glyph, configOf(healthy).glyph]).toEqual(["healthy", "in-sync"]);
    const failed = makeNode({
      core: {
        ...healthy.core,
        in_sync: false,
        config_revision_installed: 16,
        last_result: { ...healthy.core.last_result, revision: 17, ok: false },
      },
    });
    expect([healthOf(failed).glyph, configOf(failed).glyph]).toEqual(["healthy", "failed"]);
  });

  it("has one word for a node that missed two reports: the one by which it is counted and found", () => {
    const silent = makeNode({ state: "degraded", agent: { ...healthy.agent, link: "stale", connected: false } });
    expect(healthOf(silent)).toEqual({ glyph: "degraded", word: "health.degraded" });
  });

  it("says that nothing is installed before the first configuration", () => {
    expect(configOf(makeNode({ core: { ...healthy.core, config_revision_desired: 0, in_sync: true } })).glyph).toBe(
      "never",
    );
  });

  it("sorts the worst first, then by name with numbers", () => {
    const nodes = [
      makeNode({ name: "fra-10" }),
      makeNode({ name: "fra-2" }),
      makeNode({ name: "waw-02", state: "offline" }),
    ];
    expect(nodes.sort(bySeverity("en")).map((node) => node.name)).toEqual(["waw-02", "fra-2", "fra-10"]);
    expect(nodes.map(needsAttention)).toEqual([true, false, false]);
  });
});

describe("live ticks of a new node", () => {
  it("waits for the command at first", () => {
    const fresh = makeNode({
      agent: { ...healthy.agent, enrolled_at: null, last_seen_at: null, link: "never_enrolled", connected: false },
      metrics: undefined,
    });
    expect(enrollTicks(fresh).map((tick) => tick.state)).toEqual([
      "running",
      "waiting",
      "waiting",
      "waiting",
      "waiting",
    ]);
  });

  it("is complete with the first telemetry", () => {
    expect(isComplete(enrollTicks(healthy))).toBe(true);
  });

  it("marks a clock that is more than a second off", () => {
    const skewed = makeNode({ agent: { ...healthy.agent, clock_skew_ms: -4000 } });
    expect(enrollTicks(skewed).at(-1)).toMatchObject({ key: "clock", state: "failed" });
  });
});

describe("forms of the command", () => {
  const enrollment = {
    install: {
      command: 'curl -fsSL "https://panel.example/install/agent.sh" | sudo sh -s -- --token pne_x',
      url: "https://panel.example",
    },
  } as Enrollment;

  it("breaks the shell line only where a shell joins it again", () => {
    expect(installForms(enrollment).shell.replace(/ \\\n {2}\| /, " | ")).toBe(enrollment.install.command);
  });

  it("quotes the command for YAML", () => {
    expect(installForms(enrollment).cloudInit).toContain('\\"https://panel.example/install/agent.sh\\"');
    expect(installForms(enrollment).ansible).toContain("no_log: true");
  });
});

it("groups the fleet by region, the largest first and the nowhere last", () => {
  const groups = byRegion(
    [cell("x", ""), cell("y", ""), cell("fi", "Nordics"), cell("b", "Russia"), cell("a", "Russia")],
    "en",
  );
  expect(groups.map((group) => group.name)).toEqual(["Russia", "Nordics", ""]);
  expect(groups[0]!.cells.map(([id]) => id)).toEqual(["a", "b"]);
});

const cell = (id: string, region: string): FleetCell => [id, id, "online", region, 10];

it("orders regions of one size and their nodes by the language of the page, not of the browser", () => {
  const cells = () => ["яма", "zoo", "ёлка", "аист", "node-10", "node-2"].map((name) => cell(name, `R ${name}`));
  const names = (language: "en" | "ru") => byRegion(cells(), language).map((region) => region.name.slice(2));
  expect(names("en")).toEqual(["node-2", "node-10", "zoo", "аист", "ёлка", "яма"]);
  expect(names("ru")).toEqual(["аист", "ёлка", "яма", "node-2", "node-10", "zoo"]);
});

it("disarms formulas in the CSV", () => {
  expect(csvOf(nodesCsvFields, [makeNode({ name: '=cmd,"x"' })])).toContain(`"'=cmd,""x"""`);
});

it.each([
  ["fra-01", true],
  ["Москва 2", true],
  ["ab", false],
  ["-fra", false],
  ["a/b/c", false],
])("takes %s as a name: %s", (name, taken) => expect(nodeNameRule.test(name)).toBe(taken));

describe("the outcome of an act on many nodes", () => {
  const nodes = ["a", "b", "c", "d", "e", "f"].map((name) => makeNode({ id: `id-${name}`, name }));
  const outcome = (codes: string[]) =>
    nodes.map((node, at) => ({
      node_id: node.id,
      ok: !codes[at],
      code: codes[at] ?? "",
      error: codes[at] ? `words of ${codes[at]}` : "",
      operation_id: null,
    }));

  it("tells each reason once, in the language of the page, with the first nodes that it holds for", async () => {
    await startI18n("ru");
    await i18next.loadNamespaces("nodes");
    const offline = "agent_offline";
    expect(bulkFailures(outcome(["", offline, offline, "not_known_here", offline, offline]), nodes)).toBe(
      "b, c, e +1: Агент не на связи. Повторите, когда нода будет в сети.\nd: words of not_known_here",
    );
    expect(bulkFailures(outcome(["internal"]), [])).toBe("id-a: Панель не смогла это сделать. Причина в её логе.");
  });

  it("is silent about those that took part", () => {
    expect(bulkFailures(outcome([]), nodes)).toBe("");
  });
});
