import { expect, it } from "vitest";
import { bindingId, makeBinding, pageOf, serve } from "../testing";
import { findDomains } from "./find-domains";

it("finds host names for the palette, and each opens its binding", async () => {
  const { asked } = serve({ "GET /node-domains": pageOf(makeBinding()) });
  const hits = await findDomains("fra", new AbortController().signal);
  expect(hits).toMatchObject([
    { name: makeBinding().hostname, group: "Domains", path: "/domains", search: { open: bindingId } },
  ]);
  expect(asked.map(({ path }) => path)).toEqual(["/node-domains"]);
});
