import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';

/** Checks of XML by the schemas of its format, with libxml2. */

const schemas = {
  atom: { extension: 'relaxng', file: new URL('schemas/atom.rng', import.meta.url) },
  sitemapIndex: { extension: 'schema', file: new URL('schemas/sitemap-index.xsd', import.meta.url) },
  // As sitemaps.org publishes it; the package has no other use here.
  sitemap: { extension: 'schema', file: new URL('../../schema/sitemap.xsd', import.meta.resolve('sitemap')) },
} as const;

/** What a document has that the schema of its format does not permit. */
export const problemsIn = async (contents: string, format: keyof typeof schemas): Promise<readonly string[]> => {
  const { extension, file } = schemas[format];
  const schema = readFileSync(file, 'utf8');
  const { valid, errors } = await validateXML({ xml: [{ fileName: `${format}.xml`, contents }], schema, extension });
  return valid ? [] : errors.map(({ message }) => message);
};
