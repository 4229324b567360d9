const rule = /^[\p{L}\p{N}._@-]{3,64}$/u;

export function isUsername(value: string): boolean {
  return rule.test(value);
}
