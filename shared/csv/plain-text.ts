import { Parser } from 'htmlparser2';

/** Elements on lines of their own. */
const lines: ReadonlySet<string> = new Set([
  ...['caption', 'dd', 'details', 'div', 'dt', 'figcaption', 'hr', 'li', 'summary', 'tr'],
]);

/** Elements with a blank line before and after them. */
const paragraphs: ReadonlySet<string> = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'dl', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5'],
  ...['h6', 'header', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'table', 'ul'],
]);

const cells: ReadonlySet<string> = new Set(['td', 'th']);

/** Elements whose content is not shown. */
const hidden: ReadonlySet<string> = new Set(['head', 'iframe', 'noscript', 'script', 'style', 'template']);

const MARKUP = /<[a-z/!]|&[a-z#]/i;

/** A line break behind one of HTML. */
const BREAK_TWICE = /(<br\s*\/?>)\r?\n/gi;

/** An ampersand that begins no complete entity, as in the address `?id=1&copy=2`, in which HTML would see a sign. */
const BARE_AMPERSAND = /&(?!(?:[a-z][a-z\d]*|#\d+|#x[\da-f]+);)/gi;

/** Far more than a text may have. The parser takes the square of the time for some inputs. */
const HTML_CHARACTERS_MAX = 100_000;

/**
 * The text of HTML: entities are decoded, tags and what is hidden are dropped, paragraphs are apart by a blank line. Line breaks
 * stay, because in the texts of many products they are paragraphs. HTML of more than 100,000 characters is returned as it is.
 */
export const plainText = (html: string): string => {
  if (html.length > HTML_CHARACTERS_MAX || !MARKUP.test(html)) return html;
  let text = '';
  let depth = 0;
  /** Line breaks before the next text. */
  let breaks = 0;
  const separate = (name: string): void => {
    if (lines.has(name)) breaks = Math.max(breaks, 1);
    if (paragraphs.has(name)) breaks = Math.max(breaks, 2);
  };
  const parser = new Parser({
    onopentag: (name) => {
      if (hidden.has(name)) depth += 1;
      separate(name);
      if (name === 'br') text += '\n';
      if (cells.has(name)) text += ' ';
    },
    ontext: (part) => {
      if (depth > 0 || (breaks > 0 && part.trim() === '')) return;
      text += '\n'.repeat(breaks) + part;
      breaks = 0;
    },
    onclosetag: (name) => {
      if (hidden.has(name)) depth -= 1;
      separate(name);
    },
  });
  parser.end(html.replace(BARE_AMPERSAND, '&amp;').replace(BREAK_TWICE, '$1'));
  return text
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

const TAG_OR_ENTITY = /<\/?[a-z][a-z\d]*(?:\s[^<>]*)?\/?>|&(?:[a-z][a-z\d]{1,30}|#\d{1,7}|#x[\da-f]{1,6});/i;

/** Whether a cell has a tag or an entity of HTML. */
export const hasMarkup = (cell: string): boolean => TAG_OR_ENTITY.test(cell);
