import { useMediaQuery } from "@mantine/hooks";

/** Under 1100 px: navigation as a rail, so that tables and the editor keep their room. */
export function useTablet(): boolean {
  return useMediaQuery("(max-width: 1099px)", false, { getInitialValueInEffect: false });
}

/** Under 768 px: drawer, two-line cards, sheets. */
export function usePhone(): boolean {
  return useMediaQuery("(max-width: 767px)", false, { getInitialValueInEffect: false });
}
