import { screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import { useProblemText } from "./problem-words";

function Said() {
  const words = useProblemText();
  const path = "nodes[0].params.listener.port";
  return (
    <>
      <p>{words({ code: "invalid_value", path, message: "expected number <= 65535" })}</p>
      <p>{words({ code: "port_conflict", path, message: "443 is taken by the flow Office" })}</p>
    </>
  );
}

afterEach(() => changeLanguage("en"));

it("says a refusal as people do in both languages, and the panel's own sentence where it is more exact", async () => {
  await renderApp(<Said />);
  expect(await screen.findByText("Use a port from 1 to 65535")).toBeInTheDocument();
  expect(screen.getByText("443 is taken by the flow Office")).toBeInTheDocument();
  await changeLanguage("ru");
  expect(await screen.findByText("Укажите порт от 1 до 65535")).toBeInTheDocument();
  expect(screen.getByText("Этот порт на ноде занят")).toBeInTheDocument();
});
