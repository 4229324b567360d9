import { useFormat } from "@/text/use-format";

/** An amount of kopeks in roubles, with both digits of the kopeks. */
export function useRoubles(): (kopeks: number) => string {
  const format = useFormat();
  return (kopeks) => `${format.number(kopeks / 100, 2)} ₽`;
}
