const rule = /^(?=.{3,64}$)[\p{L}\p{N}._@-][\p{L}\p{M}\p{N}._@-]*$/u;

export function isUsername(value: string): boolean {
  return rule.test(value);
}
