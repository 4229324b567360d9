import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { serveUnder } from "@/testing/serve";
import { GeoField } from "./geo-field";
import { offered } from "./geo-lists";

const serve = serveUnder("/api/v1");
const complete = "GET /geo-assets/complete";
const validate = "POST /geo-assets/validate";

function Field({ first = [], error }: { first?: string[]; error?: string }) {
  const [value, setValue] = useState(first);
  return <GeoField file="geosite" label="Geosite lists" value={value} onChange={setValue} error={error} />;
}

async function show(replies: Parameters<typeof serve>[0], first?: string[], error?: string) {
  const served = serve(replies);
  await renderApp(<Field first={first} error={error} />, { queries: served.queries });
  return served;
}

const good = { body: { items: [{ token: "geosite:category-ads", ok: true, code: "", suggestions: [] }] } };

describe("a list of categories", () => {
  it("is completed from the installed file", async () => {
    await show({ [complete]: { body: { items: [{ token: "category-ads", entries: 12 }] } }, [validate]: good });
    await userEvent.type(await screen.findByRole("combobox", { name: "Geosite lists" }), "cat");
    await userEvent.click(await screen.findByRole("option", { name: "category-ads" }));
    expect(screen.getByText("category-ads")).toBeInTheDocument();
    expect(screen.queryByRole("list", { name: "Categories that are not there" })).not.toBeInTheDocument();
  });

  it("says what the file does not have, and takes what was meant", async () => {
    const wrong = {
      body: {
        items: [
          {
            token: "geosite:categry-ads",
            ok: false,
            code: "geo_category_missing",
            suggestions: ["geosite:category-ads"],
          },
        ],
      },
    };
    const { asked } = await show({ [validate]: [wrong, good] }, ["categry-ads"]);
    const said = within(await screen.findByRole("list", { name: "Categories that are not there" }));
    expect(said.getByText("categry-ads is not in geosite.dat. Meant:")).toBeInTheDocument();
    await userEvent.click(said.getByRole("button", { name: "category-ads" }));
    await waitFor(() =>
      expect(screen.queryByRole("list", { name: "Categories that are not there" })).not.toBeInTheDocument(),
    );
    expect(asked.filter(({ path }) => path === "/geo-assets/validate").map(({ body }) => body)).toEqual([
      { tokens: ["geosite:categry-ads"] },
      { tokens: ["geosite:category-ads"] },
    ]);
  });

  it("says once what is missing, also when the draft was refused for it", async () => {
    const wrong = { token: "geosite:x", ok: false, code: "geo_category_missing", suggestions: [] };
    const refused = "the geo file of the node has no category geosite:x";
    await show({ [validate]: [{ body: { items: [wrong] } }] }, ["x"], refused);
    expect(await screen.findByText("x is not in geosite.dat.")).toBeInTheDocument();
    expect(screen.queryByText(refused)).not.toBeInTheDocument();
    expect(screen.getByRole("combobox", { name: "Geosite lists" })).toBeInvalid();
  });

  it("asks by the name of a file where one is written", async () => {
    const { asked } = await show({ [validate]: good }, ["own.dat:offices"]);
    await waitFor(() => expect(asked[0]?.body).toEqual({ tokens: ["own.dat:offices"] }));
  });

  it("leaves people alone who may not ask", async () => {
    await show({ [validate]: { status: 403, body: { status: 403, code: "permission_denied" } } }, ["whatever"]);
    expect(await screen.findByText("whatever")).toBeInTheDocument();
    expect(screen.queryByRole("list", { name: "Categories that are not there" })).not.toBeInTheDocument();
  });

  it("keeps the sign of everything but", () => {
    expect(offered("!r", [{ token: "ru" }, { token: "cn" }], ["!cn"])).toEqual(["!ru"]);
  });
});
