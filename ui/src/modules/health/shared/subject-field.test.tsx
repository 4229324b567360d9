import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { makeSubject, pageOf, serve } from "../testing";
import { SubjectField } from "./subject-field";

const field = { kind: "node" as const, label: "Node", error: undefined };

it("offers what is found by a part of the name, and gives the id of what is chosen", async () => {
  const { queries } = serve({ "GET /nodes": pageOf(makeSubject({ id: "n2", name: "fra-02" })) });
  const onChange = vi.fn();
  await renderApp(<SubjectField {...field} id="" name={undefined} onChange={onChange} />, { queries });
  await userEvent.type(await screen.findByRole("combobox", { name: "Node" }), "fra");
  await userEvent.click(await screen.findByRole("option", { name: "fra-02" }));
  expect(onChange).toHaveBeenCalledWith("n2");
});

it("keeps the name of the one that is chosen while another is searched for", async () => {
  const { queries } = serve({ "GET /connection-units": pageOf(makeSubject({ id: "f2", name: "Asia" })) });
  await renderApp(
    <SubjectField {...field} kind="connection_unit" label="Flow" id="f1" name="Europe" onChange={vi.fn()} />,
    { queries },
  );
  const box = await screen.findByRole("combobox", { name: "Flow" });
  expect(box).toHaveValue("Europe");
  await userEvent.clear(box);
  await userEvent.type(box, "As");
  expect(await screen.findByRole("option", { name: "Asia" })).toBeInTheDocument();
  await userEvent.tab();
  expect(box).toHaveValue("Europe");
});
