/** The two sides of a comparison. The draft can only stand on the right. */
export interface VersionPair {
  a: string | undefined;
  b: string;
}

export const draftId = "draft";

/**
 * Choosing a version puts it on the left; choosing the left one again swaps the sides, unless the draft would get
 * there.
 */
export function chosenPair(pair: VersionPair, id: string): VersionPair {
  if (id === pair.b) return pair;
  if (id !== pair.a) return { a: id, b: pair.b };
  return pair.b === draftId ? pair : { a: pair.b, b: id };
}
