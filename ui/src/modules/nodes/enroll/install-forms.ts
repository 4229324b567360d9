import type { Enrollment } from "../shared/types";

export type InstallForm = "shell" | "cloudInit" | "ansible";

/** The same one line, in the forms that operators paste it into. */
export function installForms(enrollment: Enrollment): Record<InstallForm, string> {
  const { command } = enrollment.install;
  return {
    shell: folded(command),
    cloudInit: ["#cloud-config", "runcmd:", `  - ${JSON.stringify(["sh", "-c", command])}`].join("\n"),
    ansible: [
      "- name: Install the Panel agent",
      "  become: true",
      "  no_log: true",
      "  ansible.builtin.shell:",
      `    cmd: ${JSON.stringify(command)}`,
      "    creates: /etc/panel-agent",
    ].join("\n"),
  };
}

/** Breaks before a pipe so that the line reads without scrolling; a shell takes it as one. */
function folded(command: string): string {
  return command.replace(/ \| /, " \\\n  | ");
}
