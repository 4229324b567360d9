import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { serveFake } from "../testing/serve-fake";
import { DomainSelect } from "./domain-select";

it("lets the panel search among the owner's domains of the node", async () => {
  const panel = serveFake(fakeState());
  const choose = vi.fn();
  await renderApp(<DomainSelect label="Domain" nodeId="n-msk" owner="anna" value={null} onChange={choose} />, {
    queries: panel.queries,
  });
  await userEvent.type(await screen.findByRole("combobox", { name: "Domain" }), "msk");
  const question = "/api/v1/node-domains?node_id=n-msk&owner=anna&limit=20&q=msk";
  await waitFor(() => expect(panel.asked.map(({ path }) => path)).toContain(question));
  await userEvent.click(await screen.findByRole("option", { name: "msk.example.net" }));
  expect(choose.mock.calls[0]![0]).toBe("d-1");
});

it("names a chosen domain, and says when it is gone or another account's", async () => {
  const panel = serveFake(fakeState());
  const field = (label: string, owner: string, value: string) => (
    <DomainSelect label={label} nodeId="n-lon" owner={owner} value={value} onChange={() => undefined} />
  );
  await renderApp(
    <>
      {field("Own", "anna", "d-1")}
      {field("Foreign", "boris", "d-1")}
      {field("Gone", "anna", "d-2")}
    </>,
    { queries: panel.queries },
  );
  await waitFor(() => expect(screen.getByRole("combobox", { name: "Own" })).toHaveValue("msk.example.net"));
  const said = "A domain of somebody else";
  await waitFor(() => expect(screen.getByRole("combobox", { name: "Gone" })).toHaveValue(said));
  await waitFor(() => expect(screen.getByRole("combobox", { name: "Foreign" })).toHaveValue(said));
});
