/** A strict reader of XML 1.0 documents without a document type, for tests of what the service writes. */

/** An element with its text, in which entities and CDATA sections are resolved. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Of the element itself, without that of its children. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const TOKEN = new RegExp(
  [
    '(?<cdata><!\\[CDATA\\[[^]*?\\]\\]>)',
    '(?<comment><!--(?:(?!--)[^])*-->)',
    `(?<close></(${NAME})\\s*>)`,
    `(?<open><(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>)`,
    '(?<text>[^<]+)',
  ].join('|'),
  'y',
);
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g');
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const isCharacter = (point: number): boolean =>
  [0x9, 0xa, 0xd].includes(point) ||
  (point >= 0x20 && point <= 0xd7ff) ||
  (point >= 0xe000 && point <= 0xfffd) ||
  (point >= 0x10000 && point <= 0x10ffff);

const resolved = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+);|#(\d+);|(\w+);)?/gi, (entity, hex?: string, decimal?: string, name?: string) => {
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const character = name === undefined ? (isCharacter(point) ? String.fromCodePoint(point) : undefined) : NAMED[name];
    if (character === undefined) throw new Error(`The entity "${entity}" is not defined.`);
    return character;
  });

/** The root element of a document. @throws Error when it is not well-formed, or uses a prefix without its namespace. */
export const parseXml = (document: string): XmlElement => {
  const body = document.replace(/^<\?xml version="1\.0"(?: encoding="utf-8")?\?>\s*/i, '');
  for (const character of document) {
    const point = character.codePointAt(0) ?? 0;
    if (!isCharacter(point)) throw new Error(`The character U+${point.toString(16)} is not allowed in XML.`);
  }
  const top: OpenElement = { name: '', attributes: {}, children: [], text: '' };
  const open: OpenElement[] = [top];
  const prefixes = new Set(['xml', 'xmlns']);
  let at = 0;
  while (at < body.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(body);
    if (!match) throw new Error(`Malformed at "${body.slice(at, at + 60)}".`);
    at = TOKEN.lastIndex;
    const { cdata, close, open: opening, text } = match.groups ?? {};
    const current = open.at(-1) as OpenElement;
    if (cdata !== undefined) {
      current.text += cdata.slice('<![CDATA['.length, -']]>'.length);
    } else if (text !== undefined) {
      if (text.includes(']]>')) throw new Error('A text contains the end of a CDATA section.');
      current.text += resolved(text);
    } else if (close !== undefined) {
      const name = match[4];
      if (open.length === 1 || current.name !== name) throw new Error(`</${name}> closes <${current.name}>.`);
      open.pop();
    } else if (opening !== undefined) {
      const [name = '', list = '', slash] = [match[6], match[7], match[8]];
      const attributes: Record<string, string> = {};
      for (const [, key = '', double, single] of list.matchAll(ATTRIBUTE)) {
        if (key in attributes) throw new Error(`<${name}> repeats the attribute ${key}.`);
        attributes[key] = resolved(double ?? single ?? '');
        if (key.startsWith('xmlns:')) prefixes.add(key.slice('xmlns:'.length));
      }
      for (const used of [name, ...Object.keys(attributes)]) {
        const prefix = used.includes(':') ? used.split(':')[0] : undefined;
        if (prefix !== undefined && !prefixes.has(prefix)) throw new Error(`The prefix of ${used} has no namespace.`);
      }
      const element: OpenElement = { name, attributes, children: [], text: '' };
      current.children.push(element);
      if (slash === '') open.push(element);
    }
  }
  const [root, ...others] = top.children;
  if (open.length > 1 || !root || others.length > 0 || top.text.trim() !== '') {
    throw new Error('The document is not one complete element.');
  }
  return root;
};

/** The children with a name. */
export const childrenOf = ({ children }: XmlElement, name: string): readonly XmlElement[] =>
  children.filter((child) => child.name === name);

/** The text of the only child with a name. @throws Error when there is none, or more than one. */
export const textOf = (element: XmlElement, name: string): string => {
  const [found, ...others] = childrenOf(element, name);
  if (!found || others.length > 0) throw new Error(`<${element.name}> has not exactly one <${name}>.`);
  return found.text;
};
