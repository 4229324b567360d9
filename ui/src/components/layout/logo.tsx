/** The mark of the product: one way in, two ways out. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 22 22"
      fill="none"
      stroke="var(--accent-text)"
      strokeWidth="1.6"
      strokeLinecap="round"
      aria-hidden
    >
      <rect x="1" y="1" width="20" height="20" rx="5.5" />
      <path d="M8.500 11c2.200 0 2-4 4.500-4H16M8.500 11c2.200 0 2 4 4.500 4H16" />
      <circle cx="7" cy="11" r="1.500" fill="var(--accent-text)" stroke="none" />
    </svg>
  );
}
