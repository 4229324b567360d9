/** A name without what file systems refuse. */
export function fileName(name: string): string {
  return name.replace(/[\u0000-\u001f<>:"/\\|?*\s]+/g, "-").replace(/^[-.]+|[-.]+$/g, "") || "flow";
}
