import { routes } from '#contract/table.ts';
import { splitAddress } from '#local/router.ts';
import { openapi } from '#shared/openapi.ts';

/** The description of the interface as its routes make it at this moment: never stale, whatever the file says. */
export const document = openapi(routes, { version: '0.0.0' });

/** A response of the document, its reference followed. */
export interface DocumentedResponse {
  /** Where it stands in the document, as a JSON pointer without its `#`. */
  readonly pointer: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Media types that the body can have; none where there is no body. */
  readonly types: readonly string[];
  /** What a failure can be called; none where it is no failure. */
  readonly codes: readonly string[];
}

/** An operation of the document. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** With its variables in braces. */
  readonly path: string;
  /** `none` where callers are not limited. */
  readonly tier: string;
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
}

/** A name as a step of a JSON pointer. */
export const step = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

interface FailureSchema {
  readonly allOf?: readonly { readonly properties?: { readonly code?: { readonly enum?: readonly string[] } } }[];
}

const codesIn = (content: Readonly<Record<string, { schema?: FailureSchema }>>): string[] =>
  Object.values(content).flatMap(
    ({ schema }) => schema?.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? [],
  );

const responseAt = (given: unknown, place: string): DocumentedResponse => {
  const { $ref } = given as { $ref?: string };
  const name = $ref?.replace('#/components/responses/', '');
  const found = name === undefined ? given : document.components.responses?.[name];
  const { content = {}, headers = {} } = found as {
    content?: Record<string, { schema?: FailureSchema }>;
    headers?: Record<string, unknown>;
  };
  return {
    pointer: name === undefined ? place : `/components/responses/${step(name)}`,
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
        responseAt(response, `/paths/${step(path)}/${method}/responses/${status}`),
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

const fits = (template: readonly string[], parts: readonly string[]): boolean =>
  template.length === parts.length &&
  template.every((part, position) => (isVariable(part) ? parts[position] !== '' : part === parts[position]));

const firstVariable = ({ parts }: Template): number => {
  const position = parts.findIndex(isVariable);
  return position < 0 ? Number.POSITIVE_INFINITY : position;
};

/**
 * The operation that a request is for. As in the gateway, what is literal goes before a variable, and the path is decided
 * before the method.
 */
export const operationFor = (method: string, address: string): DocumentedOperation | undefined => {
  const parts = splitAddress(address).path.split('/');
  const candidates = templates.filter((template) => fits(template.parts, parts));
  const [best] = candidates.toSorted((a, b) => firstVariable(b) - firstVariable(a));
  return best?.byMethod.get(method);
};
