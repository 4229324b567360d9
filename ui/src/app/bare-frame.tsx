import { Outlet } from "@tanstack/react-router";

/** Pages outside the shell: sign-in and the first installation. */
export function BareFrame() {
  return (
    <main>
      <Outlet />
    </main>
  );
}
