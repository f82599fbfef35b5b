const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML and XML, attribute values included. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Trusted markup, not escaped again. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Insert = string | number | Html | readonly Html[];

const markupOf = (insert: Insert): string => {
  if (insert instanceof Html) return insert.markup;
  if (Array.isArray(insert)) return insert.map((one: Html) => one.markup).join('');
  return escapeHtml(String(insert));
};

/** Template tag for HTML: inserted values are escaped unless they are `Html`. */
export const html = (parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html =>
  new Html(parts.reduce((whole, part, position) => whole + markupOf(inserts[position - 1] ?? '') + part));
