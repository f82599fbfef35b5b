const ASCII = /^[\0-\x7f]*$/;

const BUT_DOTLESS_I = /[^ı]+/gu;

/**
 * What tags are compared by: equal for tags that differ in case, width, ligatures or composition only (NFKC and full case
 * folding). Case is folded by way of upper case, in which `ß` is `SS` and both forms of sigma are one; `ı` would become `i`.
 */
export const tagKey = (tag: string): string =>
  ASCII.test(tag)
    ? tag.toLowerCase()
    : tag
        .normalize('NFKC')
        .replace(BUT_DOTLESS_I, (part) => part.toLowerCase().toUpperCase().toLowerCase())
        .normalize('NFKC');

/** The tags without those that are equal to an earlier one. */
export const distinctTags = (tags: readonly string[]): string[] => {
  const byKey = new Map<string, string>();
  for (const tag of tags) if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
  return [...byKey.values()];
};
