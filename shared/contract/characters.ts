// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS_BUT_NEWLINE_AND_TAB = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Removes control characters but newline and tab. Bidirectional overrides and isolates are among them: they make a text
 * look different from what it says, and affect what follows it on a page.
 */
export const withoutControls = (value: string): string => value.replace(CONTROLS_BUT_NEWLINE_AND_TAB, '');

/** What is drawn as nothing: joiners and marks of direction, fillers, blanks of braille and hieroglyphs, a musical null. */
const NOTHING = String.raw`\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{13441}\u{13442}\u{1d159}`;

const INVISIBLE = String.raw`\p{White_Space}${NOTHING}`;

/** Characters with the invisible ones that change their look: an emoji, the flag of a region, Mongolian and Han letters. */
const VARIANTS = [
  String.raw`\p{Emoji}[\ufe0e\ufe0f]`,
  String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]{1,16}\u{e007f}`,
  String.raw`\p{Script=Mongolian}[\u180b-\u180d\u180f]`,
  String.raw`\p{Script=Han}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
].join('|');

/** From the first visible character to the last one. The lookahead keeps it linear for texts without any. */
const SHOWN = new RegExp(`^[${INVISIBLE}]*(?=[^${INVISIBLE}])(.*(?:${VARIANTS}|[^${INVISIBLE}]))`, 'su');

const FIRST_INVISIBLE = new RegExp(`(?! )[${INVISIBLE}]`, 'u');

/** The first character of a text that is not visible, the space not counted; undefined without any. */
export const firstInvisible = (value: string): string | undefined => FIRST_INVISIBLE.exec(value)?.[0];

/** A text without invisible characters at both ends, blanks included; empty when no character of it is visible. */
export const trimmed = (value: string): string => SHOWN.exec(value)?.[1] ?? '';
