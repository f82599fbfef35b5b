const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML or XML, also inside an attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** HTML that has been put together from escaped parts. */
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

/** Puts HTML together; whatever is inserted and is not HTML itself is escaped. */
export const html = (parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html =>
  new Html(parts.reduce((whole, part, position) => whole + markupOf(inserts[position - 1] ?? '') + part));
