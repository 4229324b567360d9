/** How far back the charts look, in seconds. */
export const ranges = { "1h": 3_600, "24h": 86_400, "7d": 604_800, "30d": 2_592_000 } as const;

export type Range = keyof typeof ranges;
