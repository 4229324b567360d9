import { useLocalStorage } from "@mantine/hooks";

/** Whether keys without Ctrl act on the page; whoever dictates or has a tremor can turn them off (WCAG 2.1.4). */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  const [on, setOn] = useLocalStorage({
    key: "panel-single-keys",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [on, setOn];
}
