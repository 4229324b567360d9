import { useMediaQuery } from "@mantine/hooks";

/** Under 768 px: drawer, two-line cards, sheets. */
export function usePhone(): boolean {
  return useMediaQuery("(max-width: 767px)", false, { getInitialValueInEffect: false });
}
