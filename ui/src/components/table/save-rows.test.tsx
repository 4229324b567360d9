import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import * as toast from "@/components/state/toast";
import { csvOf } from "./csv";
import { SaveRows, type RowsFile } from "./save-rows";

const saveFile = vi.hoisted(() => vi.fn());
vi.mock("@/components/screen/save-file", () => ({ saveFile }));
afterEach(() => saveFile.mockReset());

const file: RowsFile<string> = { name: "things", fields: [["name", (row) => row]] };
const pageSize = 2;

/** A list that is read page by page, each later than the click; at `breaksAt` rows the next page does not come. */
function List({ total, breaksAt }: { total: number; breaksAt?: number }) {
  const [count, setCount] = useState(pageSize);
  const [busy, setBusy] = useState(false);
  const more = () => {
    setBusy(true);
    setTimeout(() => {
      if (count !== breaksAt) setCount(count + pageSize);
      setBusy(false);
    }, 5);
  };
  const rows = Array.from({ length: Math.min(count, total) }, (_, at) => `row ${at}`);
  return (
    <SaveRows file={file} rows={rows} total={total} onMore={count < total ? more : undefined} loadingMore={busy} />
  );
}

const save = async () => userEvent.click(await screen.findByRole("button", { name: "CSV" }));

it("reads the rest of the list before it saves all of it", async () => {
  await renderApp(<List total={7} />);
  await save();
  await waitFor(() => expect(saveFile).toHaveBeenCalledTimes(1));
  const all = Array.from({ length: 7 }, (_, at) => `row ${at}`);
  expect(saveFile).toHaveBeenCalledWith("things.csv", csvOf(file.fields, all), "text/csv");
});

it("saves at once what is loaded whole, as often as it is asked", async () => {
  await renderApp(<List total={2} />);
  await save();
  await save();
  expect(saveFile).toHaveBeenCalledTimes(2);
});

it("saves no part of a list as if it were all, and says so", async () => {
  const told = vi.spyOn(toast, "toastFailed").mockImplementation(() => undefined);
  await renderApp(<List total={7} breaksAt={4} />);
  await save();
  await waitFor(() => expect(told).toHaveBeenCalledWith("The file was not saved", expect.anything()));
  expect(saveFile).not.toHaveBeenCalled();
  expect(screen.getByRole("button", { name: "CSV" })).not.toHaveAttribute("aria-busy", "true");
});
