// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS_BUT_NEWLINE_AND_TAB = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Removes control characters but newline and tab. Bidirectional overrides and isolates are among them: they make a text
 * look different from what it says, and affect what follows it on a page.
 */
export const withoutControls = (value: string): string => value.replace(CONTROLS_BUT_NEWLINE_AND_TAB, '');

/** Blanks, and what is drawn as nothing: joiners and marks of direction, fillers, the braille blank, a musical null. */
const INVISIBLE = String.raw`\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{1d159}`;

/** What changes the look of the character before it: the selectors and tags of emoji. */
const MODIFIER = String.raw`\p{Variation_Selector}\u{e0020}-\u{e007f}`;

/** From the first visible character to the last one. The lookahead keeps it linear for texts without any. */
const SHOWN = new RegExp(`^[${INVISIBLE}]*(?=[^${INVISIBLE}])(.*[^${INVISIBLE}][${MODIFIER}]*)`, 'su');

/** A text without invisible characters at both ends, blanks included; empty when no character of it is visible. */
export const trimmed = (value: string): string => SHOWN.exec(value)?.[1] ?? '';
