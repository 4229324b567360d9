import { fireEvent, screen, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { DataTable } from "./data-table";
import { SelectionBar } from "./selection-bar";
import { useTableLook } from "./use-table-look";

interface Item {
  id: string;
  size: number;
}

const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `row-${index}`, size: index }));

const drawn = vi.fn();

interface ListProps {
  rows: Item[];
  total?: number;
  onEdit?: (item: Item) => void;
  onCreate?: () => void;
  onEvery?: () => void;
}

function List({ rows, total = rows.length, onEdit, onCreate, onEvery }: ListProps) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const look = useTableLook("test");
  return (
    <DataTable
      label="Items"
      rows={rows}
      total={total}
      rowId={({ id }) => id}
      rowName={({ id }) => id}
      look={look}
      selection={{ ids, onChange: setIds }}
      onEdit={onEdit}
      onCreate={onCreate}
      columns={[
        { key: "name", head: "Name", cell: ({ id }) => <a href={`#${id}`}>{id}</a> },
        { key: "size", head: "Size", width: 100, cell: ({ size }) => size },
        { key: "more", head: "More", width: 100, extra: true, cell: () => "extra" },
      ]}
      phone={({ id }) => <a href={`#${id}`}>{id}</a>}
      bar={
        <SelectionBar
          count={ids.size}
          onClear={() => setIds(new Set())}
          every={{ total, chosen: false, busy: false, choose: () => onEvery?.() }}
        >
          acts
        </SelectionBar>
      }
    />
  );
}

const tick = (name: string) => screen.getByRole("checkbox", { name: `Select ${name}` });
const ticked = () =>
  screen
    .getAllByRole("checkbox")
    .filter((box) => (box as HTMLInputElement).checked)
    .map((box) => box.getAttribute("aria-label"));

beforeEach(() => localStorage.clear());

const counted = [
  {
    key: "name",
    head: "Name",
    cell: ({ id }: Item) => {
      drawn(id);
      return id;
    },
  },
];

/** The same columns each time, as lists of the product have. */
function CountedList({ rows }: { rows: Item[] }) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return (
    <DataTable
      label="Items"
      rows={rows}
      total={rows.length}
      rowId={({ id }) => id}
      rowName={({ id }) => id}
      selection={{ ids, onChange: setIds }}
      columns={counted}
      phone={({ id }) => id}
    />
  );
}

it("draws a row again only when something of its own has changed", async () => {
  await renderApp(<CountedList rows={items(4)} />);
  const box = await screen.findByRole("checkbox", { name: "Select row-2" });
  drawn.mockClear();
  await user.click(box);
  expect(tick("row-2")).toBeChecked();
  expect(new Set(drawn.mock.calls.map(([id]) => id as string))).toEqual(new Set(["row-2"]));
});

describe("choosing rows", () => {
  it("takes all rows between two with Shift", async () => {
    await renderApp(<List rows={items(6)} />);
    await user.click(await screen.findByRole("checkbox", { name: "Select row-1" }));
    fireEvent.click(tick("row-4"), { shiftKey: true });
    expect(ticked()).toEqual([1, 2, 3, 4].map((index) => `Select row-${index}`));
  });

  it("tells the loaded rows from all that match", async () => {
    const every = vi.fn();
    await renderApp(<List rows={items(3)} total={213} onEvery={every} />);
    await user.click(await screen.findByRole("checkbox", { name: "Select all loaded rows" }));
    const bar = screen.getByRole("region", { name: "Selection" });
    expect(bar).toHaveTextContent("3 selected of the loaded rows.");
    await user.click(within(bar).getByRole("button", { name: "Select all 213 that match" }));
    expect(every).toHaveBeenCalledOnce();
  });
});

describe("the keys of a list", () => {
  it("go through the rows, choose, edit and make new ones", async () => {
    const [edit, create] = [vi.fn(), vi.fn()];
    await renderApp(<List rows={items(4)} onEdit={edit} onCreate={create} />);
    await screen.findByText("row-0");
    const press = (code: string, shiftKey = false) =>
      fireEvent.keyDown(document.activeElement ?? document.body, { code, key: code.slice(-1).toLowerCase(), shiftKey });
    press("KeyJ");
    press("KeyJ");
    expect(screen.getByText("row-1")).toHaveFocus();
    press("KeyX");
    press("KeyJ");
    press("KeyX", true);
    expect(ticked()).toEqual(["Select row-1", "Select row-2"]);
    press("KeyK");
    press("KeyE");
    expect(edit).toHaveBeenCalledWith({ id: "row-1", size: 1 });
    tick("row-3").focus();
    press("KeyK");
    expect(screen.getByText("row-2")).toHaveFocus();
    press("KeyC");
    expect(create).toHaveBeenCalledOnce();
  });
});

describe("the look of a table", () => {
  it("shows the columns that somebody chose, also the next time", async () => {
    const first = await renderApp(<List rows={items(2)} />);
    await user.click(await screen.findByRole("button", { name: "Columns and density" }));
    await user.click(await screen.findByRole("checkbox", { name: "More" }));
    expect(screen.getByRole("columnheader", { name: "More" })).toBeInTheDocument();
    first.unmount();
    await renderApp(<List rows={items(2)} />);
    expect(await screen.findByRole("columnheader", { name: "More" })).toBeInTheDocument();
  });

  it("keeps few rows in the document however many there are", async () => {
    await renderApp(<List rows={items(5_000)} />);
    await screen.findByRole("table", { name: "Items" });
    expect(document.querySelectorAll("[data-row]").length).toBeLessThanOrEqual(150);
  });
});
