import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useAccess } from "@/api/access";
import { useSingleKeys } from "@/components/keys/single-keys";
import { isTyping } from "@/components/keys/use-shortcut";
import { navigation } from "../modules";

/** How long `g` waits for the letter of a place. */
export const waitForPlace = 1_500;

/** Keys that work on every page: `?` lists them, `/` goes to the page's search, `g` and a letter go to a place. */
export function useShellKeys(onList: () => void): void {
  const navigate = useNavigate();
  const { can } = useAccess();
  const [on] = useSingleKeys();
  useEffect(() => {
    if (!on) return;
    let armedUntil = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || event.defaultPrevented) return;
      const take = () => event.preventDefault();
      if (Date.now() < armedUntil) {
        armedUntil = 0;
        const place = navigation.find((entry) => entry.key === event.code && (!entry.needs || can(...entry.needs)));
        if (!place) return;
        take();
        return void navigate({ to: place.path });
      }
      if (event.key === "?") {
        take();
        return onList();
      }
      if (event.shiftKey) return;
      if (event.code === "KeyG") armedUntil = Date.now() + waitForPlace;
      if (event.code !== "Slash" && event.key !== "/") return;
      const search = document.querySelector<HTMLInputElement>("#content input[type=search], #content [data-search]");
      if (!search) return;
      take();
      search.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [on, can, navigate, onList]);
}
