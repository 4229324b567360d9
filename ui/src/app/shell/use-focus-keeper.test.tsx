import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { useFocusKeeper } from "./use-focus-keeper";

function Page({ row, dialog = false }: { row: boolean; dialog?: boolean }) {
  useFocusKeeper();
  return (
    <>
      <main id="content" tabIndex={-1}>
        {row && <button>Delete</button>}
        <button>Other</button>
      </main>
      {dialog && <div role="dialog" aria-label="Question" />}
    </>
  );
}

it("goes to the content of the page when the focused thing is removed", async () => {
  const { rerender } = render(<Page row />);
  screen.getByRole("button", { name: "Delete" }).focus();
  rerender(<Page row={false} />);
  await expect.poll(() => document.activeElement).toBe(screen.getByRole("main"));
});

it("goes to an open layer before the page below it", async () => {
  const { rerender } = render(<Page row dialog />);
  screen.getByRole("button", { name: "Delete" }).focus();
  rerender(<Page row={false} dialog />);
  await expect.poll(() => document.activeElement).toBe(screen.getByRole("dialog"));
});

it("leaves it to whoever moved the focus somewhere else", async () => {
  const { rerender } = render(<Page row />);
  screen.getByRole("button", { name: "Delete" }).focus();
  screen.getByRole("button", { name: "Other" }).focus();
  rerender(<Page row={false} />);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(screen.getByRole("button", { name: "Other" })).toHaveFocus();
});
