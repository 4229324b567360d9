export { ranges, type Range } from "@/components/screen/use-range";
