import type * as z from 'zod';
import { checked, checkedQuery } from '#contract/fields.ts';
import { header, type MiddlewareRequest, paramsOf, signedBody } from '#http/call.ts';
import { invalidField } from '#shared/errors.ts';
import { parsedJson } from './json-body.ts';

type Sent = Readonly<Record<string, string[] | undefined>>;

const isNotBlank = (value: string): boolean => value.trim() !== '';

/** One value, or the list of a repeated parameter. */
const single = (values: readonly string[]): string | readonly string[] | undefined =>
  values.length > 1 ? values : values[0];

/** Whether a parameter is sent as `name[<key>]` for each of its members. */
const hasMembers = (schema: z.core.$ZodType): boolean => {
  const { def } = schema._zod as { readonly def: { readonly type: string; readonly innerType?: z.core.$ZodType } };
  return def.type === 'record' || (def.innerType !== undefined && hasMembers(def.innerType));
};

/** The members of a parameter by key. @throws 400 for one without a key, and for a key that schemas do not see. */
const membersOf = (sent: Sent, name: string): unknown => {
  if (sent[name]?.some(isNotBlank)) throw invalidField([name], `must be given as ${name}[<key>]`);
  const members = Object.entries(sent).flatMap(([parameter, values]) => {
    const given = parameter.startsWith(`${name}[`) ? single((values ?? []).filter(isNotBlank)) : undefined;
    if (given === undefined) return [];
    // Without its end it is no key.
    const key = parameter.endsWith(']') ? parameter.slice(name.length + 1, -1) : parameter.slice(name.length);
    if (key === '__proto__') throw invalidField([name, key], 'must be a key');
    return [[key, given] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
};

/**
 * The declared query parameters. A blank value of an optional one counts as absent, because forms send their empty fields
 * too.
 */
const queryOf = ({ event, internal: { state } }: MiddlewareRequest): unknown => {
  const { query: schema, optionalQuery = [] } = state.route;
  if (!schema) return undefined;
  const disabled = optionalQuery.filter(({ feature }) => !state.environment.features[feature]);
  const sent: Sent = event.multiValueQueryStringParameters ?? {};
  const declared: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(schema.shape)) {
    if (disabled.some(({ parameters }) => parameters.includes(name))) continue;
    if (hasMembers(parameter)) {
      declared[name] = membersOf(sent, name);
      continue;
    }
    const given = (Object.hasOwn(sent, name) && sent[name]) || [];
    const values = parameter._zod.optin === undefined ? given : given.filter(isNotBlank);
    if (values.some((value) => disabled.some((part) => part.values[name]?.includes(value)))) {
      throw invalidField([name], 'is not available');
    }
    if (values.length > 0) declared[name] = single(values);
  }
  return checkedQuery(schema, declared);
};

const tagsOf = (value: string | undefined): readonly string[] | undefined =>
  value?.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'));

/** Validates path, query and body against the route's schemas. */
export const input = {
  before: (request: MiddlewareRequest): void => {
    const { state } = request.internal;
    const { route } = state;
    const params = paramsOf(request);
    let body: unknown;
    if (route.auth === 'signature') {
      body = signedBody(request);
    } else if (route.bodyKind === 'multipart') {
      body = state.multipartBody;
    } else if (route.body) {
      body = parsedJson(request);
    }
    const query = queryOf(request);
    if (route.body) body = checked(route.body, body);
    const ifMatch = route.ifMatch ? tagsOf(header(request.event, 'if-match')) : undefined;
    state.input = { params, query, body, ifMatch };
  },
};
