import { screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import { setField } from "../../drawing/drawing-edits";
import { europe } from "../../testing/places";
import { useNamedProblem, useProblemText } from "./problem-words";

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

const wrong = {
  ...setField(europe, "entry", "params.listener.port", 70000),
  edges: [{ from: "entry", to: "exit", match: { domain: ["good.example", "bad domain"] } }],
};

function Named() {
  const words = useNamedProblem(wrong);
  const path = "nodes[0].params.listener.port";
  return (
    <>
      <p>{words({ code: "invalid_value", path, message: "expected number <= 65535" })}</p>
      <p>{words({ code: "port_conflict", path, message: "70000 is taken by the flow Office" })}</p>
      <p>{words({ code: "invalid_value", path: "edges[0].match.domain[1]", message: "write a domain" })}</p>
      <p>{words({ code: "node_required", path: "nodes[1].node_id", message: "choose the node" })}</p>
    </>
  );
}

it("names the value that is at fault, once, and no id", async () => {
  await renderApp(<Named />);
  expect(await screen.findByText("“70000”: Use a port from 1 to 65535")).toBeInTheDocument();
  expect(screen.getByText("70000 is taken by the flow Office")).toBeInTheDocument();
  expect(screen.getByText("“bad domain”: Write a domain")).toBeInTheDocument();
  expect(screen.getByText("Choose the node")).toBeInTheDocument();
  await changeLanguage("ru");
  expect(await screen.findByText("«70000»: Укажите порт от 1 до 65535")).toBeInTheDocument();
});

const forbidden = {
  code: "policy_forbids",
  path: "nodes[0].params.listener.protocol",
  message: 'policy "Strict", rule "securities": the security none is not allowed',
  policy: "Strict",
  rule: "securities",
};

function Ruled() {
  const words = useProblemText();
  return (
    <>
      <p>{words(forbidden)}</p>
      <p>{words({ ...forbidden, rule_name: "No plain ports" })}</p>
      <p>{words({ code: "custom_plan_not_enabled", path: "nodes[1].plan_version_id", message: "not enabled" })}</p>
    </>
  );
}

it("names the policy and the rule that forbid something, by the name that people gave it where there is one", async () => {
  await renderApp(<Ruled />);
  expect(await screen.findAllByText(/^Policy "Strict", rule "securities"/)).toHaveLength(2);
  await changeLanguage("ru");
  expect(
    await screen.findByText("Этого не разрешает политика «Strict», правило «Разрешённая защита»"),
  ).toBeInTheDocument();
  expect(screen.getByText("Этого не разрешает политика «Strict», правило «No plain ports»")).toBeInTheDocument();
  expect(screen.getByText(/^Ни одна политика потока не включает/)).toBeInTheDocument();
});
