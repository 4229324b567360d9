import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { usePageTitle } from "@/components/layout/page-title";
import { renderApp } from "@/testing/render-app";
import { changeLanguage } from "@/text/i18n";
import type { ModulePage } from "./modules";
import { PageGuard } from "./page-guard";

const page = { path: "/nodes/$id", title: { en: "Node", ru: "Нода" }, frame: "bare", module: "nodes" } as ModulePage;

function Named() {
  usePageTitle("fra-02");
  return <h1>fra-02</h1>;
}

it("keeps the name of what a page shows when the language is switched", async () => {
  await renderApp(
    <PageGuard page={page}>
      <Named />
    </PageGuard>,
  );
  await screen.findByRole("heading", { name: "fra-02" });
  expect(document.title).toBe("fra-02 · Panel");
  await act(() => changeLanguage("ru"));
  expect(document.title).toBe("fra-02 · Panel");
  await act(() => changeLanguage("en"));
});
