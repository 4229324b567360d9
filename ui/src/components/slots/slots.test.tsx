import { QueryClient } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { licenseQuery, meQuery } from "@/api/access";
import type { UiModule } from "@/module";
import { beginSession } from "@/api/session";
import { makeLicense, makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { Modules } from "./contributions";
import { entriesOf, SlotPart, useAreas, useSlot } from "./slots";

const label = (text: string) => ({ en: text, ru: text });
const says = (text: string) => () => Promise.resolve({ default: () => <p>{text}</p> });

const modules: UiModule[] = [
  {
    name: "late",
    settings: [
      { key: "late", order: 20, label: label("Late"), needs: ["settings.manage"], load: says("late section") },
    ],
    areas: { permissions: { late: "protection" } },
  },
  {
    name: "early",
    settings: [{ key: "early", order: 10, label: label("Early"), load: says("early section") }],
    nodeTabs: [{ key: "checks", order: 10, label: label("Checks"), feature: "flows", load: says("checks of a node") }],
    flowTabs: [true, false].map((there) => ({
      key: String(there),
      order: 10,
      label: label(`There: ${there}`),
      where: { queryKey: ["any", String(there)], queryFn: () => Promise.resolve(there) },
      load: says(`part that is there: ${there}`),
    })),
    areas: { permissions: { early: "network" } },
  },
  {
    name: "broken",
    settings: [
      {
        key: "broken",
        order: 30,
        label: label("Broken"),
        load: () => Promise.resolve({ default: () => <p>{(undefined as unknown as { gone: string }).gone}</p> }),
      },
    ],
  },
];

function Screen({ slot }: { slot: "settings" | "nodeTabs" | "flowTabs" }) {
  const areas = useAreas("permissions");
  return (
    <>
      {useSlot(slot).map((entry) => (
        <section key={entry.key} aria-label={entry.label.en}>
          <SlotPart entry={entry} props={{ id: "7" }} />
        </section>
      ))}
      <output>{JSON.stringify(areas)}</output>
    </>
  );
}

async function show(slot: "settings" | "nodeTabs" | "flowTabs", permissions: string[], blocked: string[] = []) {
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  queries.setQueryData(licenseQuery.queryKey, makeLicense({ features: { enabled: [], blocked } }));
  await renderApp(
    <Modules value={modules}>
      <Screen slot={slot} />
    </Modules>,
    { queries },
  );
}

describe("slots", () => {
  // React reports the fault of the broken part, which is what one of the tests is about.
  beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

  it("stand in their order, whatever module comes first", () => {
    expect(entriesOf(modules, "settings").map((entry) => entry.key)).toEqual(["early", "late", "broken"]);
  });

  it("do not show what the account may not read, and a fault of one leaves the others", async () => {
    await show("settings", ["nodes.view"]);
    expect(await screen.findByText("early section")).toBeInTheDocument();
    expect(screen.queryByRole("region", { name: "Late" })).not.toBeInTheDocument();
    expect(await screen.findByRole("button", { name: "Copy report" })).toBeInTheDocument();
  });

  it("say that the plan lacks a feature in place of its part", async () => {
    await show("nodeTabs", ["*"], ["flows"]);
    expect(await screen.findByText("Checks is not in your plan")).toBeInTheDocument();
    expect(screen.queryByText("checks of a node")).not.toBeInTheDocument();
  });

  it("leave out what has nothing to show", async () => {
    await show("flowTabs", ["*"]);
    expect(await screen.findByText("part that is there: true")).toBeInTheDocument();
    expect(screen.queryByText("part that is there: false")).not.toBeInTheDocument();
  });

  it("come with the areas that modules declare for their permissions", async () => {
    await show("settings", ["*"]);
    expect(await screen.findByText('{"late":"protection","early":"network"}')).toBeInTheDocument();
  });
});
