/** What modules say about themselves to screens of others: `key`, `feature`, `action`, `object`, `event`, `problem`. */
export interface Words {
  [key: string]: string | Words;
}

/** All modules' words as one tree. */
export function merged(files: Record<string, Words>): Words {
  return Object.values(files).reduce<Words>(joined, {});
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
  const paths = Object.values(files).flatMap((words) => pathsOf(words));
  return [...new Set(paths.filter((path, index) => paths.indexOf(path) !== index))].sort();
}

function pathsOf(words: Words, prefix = ""): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [prefix + key] : pathsOf(value, `${prefix}${key}.`),
  );
}
