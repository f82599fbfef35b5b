import { checked, checkedQuery } from '#contract/fields.ts';
import { header, type MiddlewareRequest } from '#http/call.ts';
import { jsonOf, paramsOf, signedBody } from '#http/request.ts';

/**
 * The declared query parameters. A blank value of an optional one counts as absent, because forms send their empty fields
 * too.
 */
const queryOf = ({ event, internal: { state } }: MiddlewareRequest): unknown => {
  const schema = state.route.query;
  if (!schema) return undefined;
  const sent = event.multiValueQueryStringParameters ?? {};
  const declared: Record<string, unknown> = {};
  for (const [name, { _zod }] of Object.entries(schema.shape)) {
    const given = (Object.hasOwn(sent, name) && sent[name]) || [];
    const values = _zod.optin === undefined ? given : given.filter((value) => value.trim() !== '');
    if (values.length > 0) declared[name] = values.length === 1 ? values[0] : values;
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
      body = jsonOf(request);
    }
    const query = queryOf(request);
    if (route.body) body = checked(route.body, body);
    const ifMatch = route.ifMatch ? tagsOf(header(request.event, 'if-match')) : undefined;
    state.input = { params, query, body, ifMatch };
  },
};
