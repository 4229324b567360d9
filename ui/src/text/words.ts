/** What modules say about themselves to screens of others: `key`, `feature`, `action`, `object`, `event`, `problem`. */
export interface Words {
  [key: string]: string | Words;
}

/** All modules' words as one tree. */
export function merged(files: Record<string, Words>): Words {
  return Object.values(withoutForeign(files)).reduce<Words>(joined, {});
}

/** A feature that has a folder of its own is named there; what another folder said of it before stands back. */
function withoutForeign(files: Record<string, Words>): Record<string, Words> {
  const featuresOf = ({ feature }: Words): Words => (typeof feature === "object" ? feature : {});
  const folders = Object.entries(files).map(([path, words]) => ({ path, words, name: path.split("/").at(-2) ?? "" }));
  const own = new Set(folders.filter(({ name, words }) => name in featuresOf(words)).map(({ name }) => name));
  return Object.fromEntries(
    folders.map(({ path, words, name }) => {
      const kept = Object.entries(featuresOf(words)).filter(([feature]) => feature === name || !own.has(feature));
      return [path, "feature" in words ? { ...words, feature: Object.fromEntries(kept) } : words];
    }),
  );
}

function joined(into: Words, words: Words): Words {
  const all = { ...into };
  for (const [key, value] of Object.entries(words)) {
    const known = all[key];
    all[key] = typeof known === "object" && typeof value === "object" ? joined(known, value) : value;
  }
  return all;
}

/** The words that stand in more than one folder: which of them is shown would depend on the order of the folders. */
export function repeated(files: Record<string, Words>): string[] {
  const paths = Object.values(withoutForeign(files)).flatMap((words) => pathsOf(words));
  return [...new Set(paths.filter((path, index) => paths.indexOf(path) !== index))].sort();
}

function pathsOf(words: Words, prefix = ""): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [prefix + key] : pathsOf(value, `${prefix}${key}.`),
  );
}
