import { routes } from '#contract/table.ts';
import { splitAddress } from '#local/proxy-event.ts';
import { openapi } from '#shared/openapi.ts';
import { oncePerRun } from './run-folder.ts';

/** The OpenAPI document generated from the current routes; `docs/openapi.json` may be stale. */
export const document = oncePerRun('openapi', () => openapi(routes, { version: '0.0.0' }));

/** A response of the document, with its reference resolved. */
export interface DocumentedResponse {
  /** Its position in the document, a JSON pointer without `#`. */
  readonly pointer: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The media types of the body; empty without a body. */
  readonly types: readonly string[];
  /** The error codes; empty for successes. */
  readonly codes: readonly string[];
}

/** An operation of the document. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** With variables in braces. */
  readonly path: string;
  /** The rate limit tier; `none` for unlimited operations. */
  readonly tier: string;
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
}

/** Escapes a name for use in a JSON pointer. */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

interface ErrorSchema {
  readonly $ref?: string;
  readonly allOf?: readonly { readonly properties?: { readonly code?: { readonly enum?: readonly string[] } } }[];
}

const schemaAt = (schema: ErrorSchema | undefined): ErrorSchema | undefined => {
  const name = schema?.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (document.components.schemas?.[name] as ErrorSchema | undefined);
};

const codesIn = (content: Readonly<Record<string, { schema?: ErrorSchema }>>): string[] =>
  Object.values(content).flatMap(
    ({ schema }) => schemaAt(schema)?.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? [],
  );

const responseAt = (given: unknown, pointer: string): DocumentedResponse => {
  const { $ref } = given as { $ref?: string };
  const name = $ref?.replace('#/components/responses/', '');
  const found = name === undefined ? given : document.components.responses?.[name];
  const { content = {}, headers = {} } = found as {
    content?: Record<string, { schema?: ErrorSchema }>;
    headers?: Record<string, unknown>;
  };
  return {
    pointer: name === undefined ? pointer : `/components/responses/${escapePointer(name)}`,
    headers,
    types: Object.keys(content),
    codes: codesIn(content),
  };
};

/** Every operation of the document. */
export const operations: readonly DocumentedOperation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    tier: (operation as typeof operation & { 'x-rate-tier': string })['x-rate-tier'],
    responses: new Map(
      Object.entries(operation.responses).map(([status, response]) => [
        Number(status),
        responseAt(response, `/paths/${escapePointer(path)}/${method}/responses/${status}`),
      ]),
    ),
  })),
);

const isVariable = (part: string): boolean => part.startsWith('{');

interface Template {
  readonly parts: readonly string[];
  readonly byMethod: ReadonlyMap<string, DocumentedOperation>;
}

const templates: readonly Template[] = Object.entries(Object.groupBy(operations, ({ path }) => path)).map(
  ([path, those = []]) => ({ parts: path.split('/'), byMethod: new Map(those.map((one) => [one.method, one])) }),
);

/** A variable may have an extension. */
const fitsPart = (template: string, part: string): boolean => {
  if (!isVariable(template)) return template === part;
  const extension = template.slice(template.indexOf('}') + 1);
  return part.endsWith(extension) && part.length > extension.length;
};

const fits = (template: readonly string[], parts: readonly string[]): boolean =>
  template.length === parts.length && template.every((part, position) => fitsPart(part, parts[position] ?? ''));

const firstVariable = ({ parts }: Template): number => {
  const position = parts.findIndex(isVariable);
  return position < 0 ? Number.POSITIVE_INFINITY : position;
};

/**
 * Finds the operation of a request. As in the gateway, literal segments have precedence over variables, and the path is
 * matched before the method.
 */
export const operationFor = (method: string, address: string): DocumentedOperation | undefined => {
  // A slash at the end of a path means nothing, and a fragment is no part of it.
  const parts = splitAddress(address)
    .path.replace(/#.*/, '')
    .replace(/(?<=.)\/$/, '')
    .split('/');
  const candidates = templates.filter((template) => fits(template.parts, parts));
  const [best] = candidates.toSorted((a, b) => firstVariable(b) - firstVariable(a));
  return best?.byMethod.get(method);
};
