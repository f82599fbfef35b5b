import type { MatchKind } from '#contract/projects.ts';

/** The order of relevance over plain folded texts, as the contract states it: no index, every word against every word. */

/** The folded texts of a listing, by place. */
export type Places = readonly (readonly string[])[];

const split = (text: string): string[] => text.match(/[\p{L}\p{M}\p{Nd}]+/gu) ?? [];

const WITHOUT_SPACES = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+$/u;

/** Optimal string alignment, by its definition. */
const distance = (a: readonly string[], b: readonly string[]): number => {
  const d = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (__, j) => i || j));
  const at = (i: number, j: number) => d[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const options = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1])];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) options.push(at(i - 2, j - 2) + 1);
      (d[i] as number[])[j] = Math.min(...options);
    }
  }
  return at(a.length, b.length);
};

/** The typos with which a word of a search matches a word; undefined when it does not. */
const typosIn = (word: string, isLast: boolean, kind: MatchKind, text: string): number | undefined => {
  if (word === text || (isLast && text.startsWith(word))) return 0;
  if (WITHOUT_SPACES.test(word)) return text.includes(word) ? 0 : undefined;
  const [own, other] = [[...word], [...text]];
  const max = kind !== 'fuzzy' || /\p{Nd}/u.test(word + text) || own.length < 4 ? 0 : own.length < 8 ? 1 : 2;
  if (max === 0 || own[0] !== other[0]) return undefined;
  const lengths = isLast ? other.map((_, at) => at + 1) : [other.length];
  const typos = Math.min(...lengths.map((length) => distance(own.slice(1), other.slice(1, length))));
  return typos <= max ? typos : undefined;
};

export const countedWords = (q: string): string[] => [...new Set(split(q))].slice(0, 10);

const joined = (text: string): string => text.trim().split(/\s+/).join(' ');
const count = (all: readonly boolean[]): number => all.filter(Boolean).length;

/** The criteria of a listing with their direction, without upvotes and id; the first is the number of matching words. */
export const relevanceOf = (q: string, match: MatchKind, places: Places): [number, 1 | -1][] => {
  const words = match === 'substring' ? [] : countedWords(q);
  const equal = Number(joined(places[0]?.[0] ?? '') === joined(q));
  if (words.length === 0) {
    const isWhole = (text: string) =>
      text
        .split(q)
        .some(
          (_, at, parts) =>
            at > 0 &&
            !/[\p{L}\p{Nd}]$/u.test(parts.slice(0, at).join(q)) &&
            !/^[\p{L}\p{Nd}]/u.test(parts.slice(at).join(q)),
        );
    const found = places.map((texts) => [
      Number(texts.some((text) => text.includes(q))),
      Number(texts.some((text) => isWhole(text))),
    ]);
    const matched = Number(found.some(([any]) => any === 1));
    return [[matched, -1], [equal, -1], ...found.flat().map((value): [number, -1] => [value, -1])];
  }
  const hasMore = new Set(split(q)).size > words.length;
  const typos = (word: string, text: string) =>
    typosIn(word, !hasMore && word === words.at(-1), match, text) ?? Number.POSITIVE_INFINITY;
  const all = places.flat().flatMap(split);
  const fewest = words.map((word) => Math.min(...all.map((text) => typos(word, text)), Number.POSITIVE_INFINITY));
  const matched = fewest.filter(Number.isFinite);
  const perPlace = places.flatMap((texts) => {
    const own = texts.flatMap(split);
    const any = words.map((word) => own.some((text) => Number.isFinite(typos(word, text))));
    return [count(any), count(words.map((word) => own.includes(word)))];
  });
  const pairs = words.slice(1).map((next, at) =>
    places.flat().some((text) =>
      split(text).some((one, i, others) => {
        const following = others[i + 1];
        const isPair = following !== undefined && Number.isFinite(typos(next, following));
        return isPair && Number.isFinite(typos(words[at] ?? '', one));
      }),
    ),
  );
  const [named = 0, wholeNamed = 0, ...others] = perPlace;
  return [
    [matched.length, -1],
    [equal, -1],
    [matched.reduce((sum, one) => sum + one, 0), 1],
    ...[named, wholeNamed, ...others, count(pairs)].map((value): [number, -1] => [value, -1]),
  ];
};
