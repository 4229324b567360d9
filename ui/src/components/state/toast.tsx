import { notifications } from "@mantine/notifications";
import { isProblem } from "@/api/problem";
import { problemText } from "@/text/problem-text";
import { Glyph } from "@/components/status/glyph";

/** Says that something worked; gone after five seconds. */
export function toastDone(title: string, message?: string): void {
  notifications.show({ title, message, autoClose: 5000, icon: <Glyph kind="healthy" />, withBorder: false });
}

/** Says what failed, with code and request id; stays until closed. Never the only place of an error. */
export function toastProblem(title: string, error: unknown): void {
  const reference = isProblem(error) ? [error.code, error.requestId].filter(Boolean).join(" · ") : "";
  toastFailed(title, [problemText(error), reference].filter(Boolean).join("\n"));
}

/** Says what did not work in words of its own; stays until closed. */
export function toastFailed(title: string, message: string): void {
  notifications.show({ title, message, autoClose: false, icon: <Glyph kind="down" />, role: "alert" });
}
