import type { Feature } from '#contract/route.ts';

/** The members of an OpenAPI document that the service uses. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly parameters?: readonly { readonly $ref?: string; readonly 'x-feature'?: string }[];
  readonly 'x-feature'?: string;
}

const referencesIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name = '']) => name);

/** The components referenced by the paths and webhooks, directly or indirectly. Security schemes are referenced by name. */
const reachable = ({
  paths,
  webhooks = {},
  components,
}: Pick<OpenApiDocument, 'paths' | 'webhooks' | 'components'>): OpenApiDocument['components'] => {
  const found = new Set<string>();
  const queue = referencesIn([paths, webhooks]);
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

/** The document without the routes and parameters of disabled features, and without unused tags and components. */
export const visible = <D extends OpenApiDocument>(document: D, features?: Readonly<Record<Feature, boolean>>): D => {
  const isOn = ({ 'x-feature': feature }: Pick<Operation, 'x-feature'>) =>
    features === undefined || feature === undefined || features[feature as Feature];
  const withParameters = (operation: Operation): Operation =>
    operation.parameters ? { ...operation, parameters: operation.parameters.filter(isOn) } : operation;
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .map(
        ([path, item]) =>
          [
            path,
            Object.fromEntries(
              Object.entries(item).flatMap(([method, operation]) =>
                isOn(operation) ? [[method, withParameters(operation)]] : [],
              ),
            ),
          ] as const,
      )
      .filter(([, item]) => Object.keys(item).length > 0),
  );
  const { webhooks: all, ...rest } = document;
  const webhooks = all && (features === undefined || features.webhooks) ? all : undefined;
  const used = new Set(
    Object.values({ ...paths, ...webhooks }).flatMap((item) =>
      Object.values(item).flatMap((operation) => operation.tags),
    ),
  );
  const tags = document.tags.filter(({ name }) => used.has(name));
  const components = reachable({ paths, ...(webhooks && { webhooks }), components: document.components });
  return { ...rest, tags, paths, ...(webhooks && { webhooks }), components } as unknown as D;
};

export const visibleText = (document: object, features: Readonly<Record<Feature, boolean>>): string =>
  JSON.stringify(visible(document as OpenApiDocument, features));
