import { withoutControls } from '#contract/characters.ts';

/** Called once per character that a scan reads; the default does nothing. A test counts the calls. */
type Step = () => void;
const ignore: Step = () => undefined;

/**
 * Removes HTML tags, also those that only appear once an inner tag is removed, in one pass: each `>` removes everything
 * from the last open `<` on. The result has no `<` before a `>`.
 */
export const withoutTags = (value: string, step: Step = ignore): string => {
  const kept: string[] = [];
  const open: number[] = [];
  for (const character of value) {
    step();
    const start = character === '>' ? open.pop() : undefined;
    if (start !== undefined) {
      kept.length = start;
      continue;
    }
    if (character === '<') open.push(kept.length);
    kept.push(character);
  }
  return kept.join('');
};

/** Replaces Markdown links and images by their texts, in one pass. */
export const withoutLinks = (value: string, step: Step = ignore): string => {
  const kept: string[] = [];
  const open: number[] = [];
  const lastEnd = value.lastIndexOf(')');
  for (let position = 0; position < value.length; position += 1) {
    step();
    const character = value.charAt(position);
    const start = character === ']' ? open.pop() : undefined;
    if (start !== undefined && value[position + 1] === '(' && position < lastEnd) {
      kept[start] = '';
      if (kept[start - 1] === '!') kept[start - 1] = '';
      // There is an end, and the scan continues after it, so no character is read twice.
      while (value[position] !== ')') {
        step();
        position += 1;
      }
      continue;
    }
    if (character === '[') open.push(kept.length);
    kept.push(character);
  }
  return kept.join('');
};

/** Removes control characters, bidirectional overrides, HTML, Markdown and enclosing quotes, in linear time. */
export const plainText = (value: string): string =>
  withoutLinks(withoutTags(withoutControls(value.toWellFormed())))
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+])\s+/gm, '')
    .replace(/(\*\*|__|`+)/g, '')
    // An unfinished tag would be completed by what follows the text on a page.
    .replace(/<(?![\s\d=])/g, '')
    .trim()
    .replace(/^(["'“])([\s\S]*)(["'”])$/, '$2')
    .trim();
