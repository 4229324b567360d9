import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

const script = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const everyRule = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
const colours = { type: "rule", values: ["color-contrast"] };

interface Fault {
  id: string;
  nodes: { target: string[] }[];
}

interface Axe {
  run: (where: unknown, how: object) => Promise<{ violations: Fault[] }>;
}

/** What axe looks at: the whole page, or what a selector names where it names something that is seen. */
interface Looked {
  rules?: "all" | "colours";
  within?: string[];
}

/**
 * What axe finds in the page that stands: the rule, and the elements that break it. It is run in the page itself, which
 * takes a fifth of what its own driver needs; frames are left out, because one in which no script runs never answers.
 * Of several selectors the first counts that names something. A target that is half below a bar which does not scroll
 * is judged once more where it can be seen.
 */
export async function accessFaults(page: Page, { rules = "all", within = [] }: Looked = {}): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(script);
  const found = await page.evaluate(
    async ([selectors, runOnly]) => {
      const { axe } = window as unknown as { axe: Axe };
      const run = async (where: unknown, only: object) => {
        const how = { runOnly: only, resultTypes: ["violations"], preload: false, iframes: false };
        return (await axe.run(where, how)).violations;
      };
      const seen = selectors.map((selector) =>
        [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility()),
      );
      const include = seen.find((elements) => elements.length > 0);
      const all = await run(include ? { include } : document, runOnly);
      for (const fault of all.filter(({ id }) => id === "target-size")) {
        const stay = [];
        for (const node of fault.nodes) {
          const target = document.querySelector(node.target[0]!);
          target?.scrollIntoView({ block: "center" });
          const again = target ? await run(target, { type: "rule", values: ["target-size"] }) : [fault];
          if (again.length > 0) stay.push(node);
        }
        fault.nodes = stay;
      }
      return all.filter(({ nodes }) => nodes.length > 0);
    },
    [within, rules === "all" ? everyRule : colours] as const,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}
