import type { Feature } from '#contract/route.ts';

/** As much of an OpenAPI document's shape as the service itself relies on. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** As much of an operation's shape as the service itself relies on. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly 'x-feature'?: string;
}

const referencesIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name = '']) => name);

/** The components that the paths lead to, directly or through each other. Security schemes are named, not referred to. */
const reachable = ({
  paths,
  components,
}: Pick<OpenApiDocument, 'paths' | 'components'>): OpenApiDocument['components'] => {
  const found = new Set<string>();
  const queue = referencesIn(paths);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const [kind = '', key = ''] = name.split('/');
    queue.push(...referencesIn(components[kind]?.[key] ?? null));
  }
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(
      Object.entries(named).filter(([key]) => kind === 'securitySchemes' || found.has(`${kind}/${key}`)),
    ),
  ]);
  return Object.fromEntries(kept) as OpenApiDocument['components'];
};

/** The document without the routes of switched-off features, and without tags and components that nothing needs. */
export const visible = <D extends OpenApiDocument>(document: D, features?: Readonly<Record<Feature, boolean>>): D => {
  const isOn = ({ 'x-feature': feature }: Operation) =>
    features === undefined || feature === undefined || features[feature as Feature];
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .map(
        ([path, item]) =>
          [path, Object.fromEntries(Object.entries(item).filter(([, operation]) => isOn(operation)))] as const,
      )
      .filter(([, item]) => Object.keys(item).length > 0),
  );
  const used = new Set(
    Object.values(paths).flatMap((item) => Object.values(item).flatMap((operation) => operation.tags)),
  );
  const tags = document.tags.filter(({ name }) => used.has(name));
  return { ...document, tags, paths, components: reachable({ paths, components: document.components }) };
};

/** The visible part of a document as it is sent. */
export const visibleText = (document: object, features: Readonly<Record<Feature, boolean>>): string =>
  JSON.stringify(visible(document as OpenApiDocument, features));
