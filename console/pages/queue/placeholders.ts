/** What the placeholders of a saved reply stand for. */
export interface PlaceholderValues {
  readonly name: string;
  readonly url: string;
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

const isKnown = (name: string): name is keyof PlaceholderValues => name === 'name' || name === 'url';

/** Fills in the placeholders of a reason. Unknown ones stay as they are. */
export const filled = (reason: string, values: PlaceholderValues): string =>
  reason.replace(PLACEHOLDER, (placeholder, name: string) => (isKnown(name) ? values[name] : placeholder));

/** The placeholders that nothing is filled in for. */
export const unknownPlaceholders = (reason: string): readonly string[] => [
  ...new Set([...reason.matchAll(PLACEHOLDER)].filter(([, name = '']) => !isKnown(name)).map(([text]) => text)),
];
