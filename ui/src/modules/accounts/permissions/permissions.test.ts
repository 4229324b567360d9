import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countOpened, covers, difference, heldBy, isLastFull, lacking, tidy, withFamily, withKey } from "./permissions";

const catalogue = ["accounts.manage", "accounts.view", "audit.view", "flows.apply", "flows.edit", "flows.view"];

describe("what opens a key", () => {
  it.each([
    [["*"], "all"],
    [["flows.*"], "family"],
    [["flows.view"], "own"],
    [["flows.edit"], undefined],
  ])("%s opens flows.view by %s", (held, by) => expect(heldBy(held, "flows.view")).toBe(by));

  it("counts keys, not words", () => {
    expect([["*"], ["flows.*", "audit.view"], []].map((held) => countOpened(held, catalogue))).toEqual([6, 4, 0]);
  });
});

describe("nobody grants what he lacks", () => {
  it("names the missing keys", () => {
    expect(lacking(["flows.*"], ["flows.view", "audit.view", "*"])).toEqual(["audit.view", "*"]);
    expect(covers(["flows.view"], ["flows.*"])).toBe(false);
    expect(covers(["*"], ["*", "flows.*"])).toBe(true);
  });
});

describe("switching", () => {
  it("takes a key out of a family and leaves the others", () => {
    expect(withKey(["flows.*"], "flows.apply", false, catalogue)).toEqual(["flows.edit", "flows.view"]);
  });

  it("lets a family swallow its keys and give back none", () => {
    expect(withFamily(["audit.view", "flows.view"], "flows.*", true, catalogue)).toEqual(["audit.view", "flows.*"]);
    expect(withFamily(["audit.view", "flows.*", "flows.view"], "flows.*", false, catalogue)).toEqual(["audit.view"]);
  });

  it("keeps full access alone", () => expect(tidy(["flows.view", "*"], catalogue)).toEqual(["*"]));

  const sets = fc.subarray([...catalogue, "flows.*", "accounts.*"]).map((held) => tidy(held, catalogue));
  it("changes exactly the key that was switched", () => {
    fc.assert(
      fc.property(sets, fc.constantFrom(...catalogue), fc.boolean(), (held, key, on) => {
        const after = withKey(held, key, on, catalogue);
        expect(heldBy(after, key) !== undefined).toBe(on);
        const { gained, lost } = difference(held, after, catalogue);
        expect([...gained, ...lost].filter((other) => other !== key)).toEqual([]);
      }),
    );
  });
});

describe("the last full access", () => {
  const account = (id: string, permissions: string[], state = "active") => ({ id, permissions, state });
  const anna = account("1", ["*"]);

  it("is protected, a disabled second one does not count", () => {
    expect(isLastFull(anna, [anna, account("2", ["flows.*"]), account("3", ["*"], "disabled")], true)).toBe(true);
    expect(isLastFull(anna, [anna, account("2", ["*"])], true)).toBe(false);
  });

  it("is left to the panel where the list is not complete", () => expect(isLastFull(anna, [anna], false)).toBe(false));
});
