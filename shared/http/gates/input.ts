import { checked } from '#contract/checked.ts';
import { type GateRequest, header } from '#http/call.ts';
import { jsonOf, paramsOf, signedBody } from '#http/request.ts';

const queryOf = ({ event, internal: { state } }: GateRequest): unknown => {
  const schema = state.route.query;
  if (!schema) return undefined;
  const given = event.multiValueQueryStringParameters ?? {};
  const known: Record<string, unknown> = {};
  for (const name of Object.keys(schema.shape)) {
    const values = Object.hasOwn(given, name) ? given[name] : undefined;
    if (values && values.length > 0) known[name] = values.length === 1 ? values[0] : values;
  }
  return checked(schema, known);
};

const tagsOf = (value: string | undefined): readonly string[] | undefined =>
  value?.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'));

/** Reads parameters, query and body and checks them against the route's schemas. */
export const input = {
  before: async (request: GateRequest): Promise<void> => {
    const { state } = request.internal;
    const { route } = state;
    const params = paramsOf(request);
    let body: unknown;
    if (route.auth === 'signature') {
      body = signedBody(request);
    } else if (route.bodyKind === 'multipart') {
      // Only the functions that take files carry the parser for them.
      const parse = state.readMultipart;
      if (!parse) throw new Error(`${route.id} takes multipart bodies, but its door was not given the parser.`);
      body = await parse(request.event);
    } else if (route.body) {
      body = jsonOf(request);
    }
    const query = queryOf(request);
    if (route.body) body = checked(route.body, body);
    const ifMatch = route.ifMatch ? tagsOf(header(request.event, 'if-match')) : undefined;
    state.input = { params, query, body, ifMatch };
  },
};
