/**
 * The beginning of a text: at most `max` characters (code points), never half of one, as well-formed Unicode. Every text that is
 * cut is cut here: the table rejects a transaction with half a character, and mails, pages and other services show or reject it.
 */
export const firstCharacters = (text: string, max: number): string => {
  if (text.length <= max) return text.toWellFormed();
  // A character takes one or two units.
  const characters = Array.from(text.slice(0, 2 * max));
  return characters.slice(0, max).join('').toWellFormed();
};

/** A text of at most `max` characters (code points): a longer one ends in an ellipsis. */
export const abbreviated = (text: string, max: number): string => {
  const beginning = firstCharacters(text, max);
  return beginning.length < text.length ? `${firstCharacters(text, max - 1)}…` : beginning;
};
