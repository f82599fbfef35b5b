import { isDeepStrictEqual } from 'node:util';
import type { Health } from '#contract/health.ts';
import { type Feature, features } from '#contract/route.ts';
import type { SiteSettings } from '#contract/settings.ts';
import { type OpenApiDocument, visible } from '#shared/openapi/visible.ts';
import type { CallAnswer, CallOptions, Client } from '#test/support/client.ts';
import document from '../../docs/openapi.json' with { type: 'json' };
import { checkTransport } from './transport.ts';

/** What is asked, and in whose name. */
export interface SmokeOptions {
  readonly url: URL;
  readonly client: Client;
  /** Pages of these origins must be allowed to call. */
  readonly origins: readonly string[];
  /** Somebody's token, for what only he may read. */
  readonly token: string | undefined;
  readonly timeoutMs: number;
}

/** One question to a deployment. */
export interface SmokeStep {
  readonly name: string;
  /** What is missing to ask it; undefined when nothing is. */
  readonly missing?: string | undefined;
  /** @returns what was found, in a few words. @throws when it is not as it should be. */
  readonly run: () => Promise<string>;
}

const FOREIGN_ORIGIN = 'https://nobody.invalid';
const NOT_FOUND = { error: 'Not found', code: 'NOT_FOUND' };
const UNAUTHORIZED = { error: 'Unauthorized', code: 'UNAUTHORIZED' };
const SHOWN_MAX = 300;

const insist = (holds: boolean, otherwise: string): void => {
  if (!holds) throw new Error(otherwise);
};

/** The parts of a list that are looked at. */
interface List {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly meta: {
    readonly total: number;
    readonly facets?: Readonly<Record<string, readonly { readonly count: number }[]>>;
  };
}

/** All questions, in the order in which they are asked. The first two say whether there is anybody to ask the others. */
export const smokeSteps = ({ url, client, origins, token, timeoutMs }: SmokeOptions): readonly SmokeStep[] => {
  const answered = async (status: number, method: string, path: string, options?: CallOptions): Promise<CallAnswer> => {
    const answer = await client.call(method, path, options);
    insist(
      answer.status === status,
      `${method} ${path} answered ${answer.status} in place of ${status}: ${JSON.stringify(answer.body)?.slice(0, SHOWN_MAX)}`,
    );
    return answer;
  };
  const read = async <T>(path: string, options?: CallOptions): Promise<T> =>
    (await answered(200, 'GET', path, options)).body as T;
  const refused = async (status: number, path: string, body: object): Promise<string> => {
    const answer = await answered(status, 'GET', path);
    insist(isDeepStrictEqual(answer.body, body), `GET ${path} answered ${JSON.stringify(answer.body)}`);
    return `${status} in the contract's shape`;
  };
  const preflight = (origin: string): Promise<CallAnswer> =>
    client.call('OPTIONS', '/api/projects', {
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });

  return [
    { name: 'transport', run: () => checkTransport(url, timeoutMs) },
    {
      name: 'health',
      run: async () => {
        const { headers, body } = await answered(200, 'GET', '/api/health');
        insist(headers.get('cache-control') === 'no-store', 'a cache between here and the service may keep it');
        const { version, stage } = (body as { data: Health }).data;
        return `version ${version} of stage ${stage}`;
      },
    },
    {
      name: 'deep health',
      run: async () => {
        const { data } = await read<{ data: Health }>('/api/health?deep=1');
        insist(data.parts !== undefined, 'no part was asked');
        return Object.entries(data.parts ?? {})
          .map(([part, state]) => `${part} ${state}`)
          .join(', ');
      },
    },
    {
      name: 'list',
      run: async () => {
        const { data, meta } = await read<List>('/api/projects?limit=5');
        insist(data.length === Math.min(5, meta.total), `${data.length} of ${meta.total} on a page of 5`);
        return `${meta.total} projects`;
      },
    },
    {
      name: 'facets',
      run: async () => {
        const { meta } = await read<List>('/api/projects?limit=1&facets=pricing,category');
        // Every project has one pricing type, so these counts make up all of them.
        const sum = (meta.facets?.pricing ?? []).reduce((total, { count }) => total + count, 0);
        insist(sum === meta.total, `the facet counts ${sum} projects of ${meta.total}`);
        return `${meta.facets?.category?.length ?? 0} categories in use`;
      },
    },
    {
      name: 'search',
      run: async () => {
        const [first] = (await read<List>('/api/projects?limit=1')).data;
        if (!first) return 'nothing to be found yet';
        const query = new URLSearchParams({ q: first.name, limit: '100' });
        const found = await read<List>(`/api/projects?${query.toString()}`);
        insist(
          found.data.some(({ id }) => id === first.id),
          `${first.id} is not found by its name`,
        );
        return `${found.meta.total} by the name of one`;
      },
    },
    {
      name: 'document',
      run: async () => {
        const served = await read<OpenApiDocument>('/api/openapi.json');
        const { data } = await read<{ data: SiteSettings }>('/api/settings');
        const isOn = Object.fromEntries(features.map((one) => [one, data.features.includes(one)]));
        const expected = visible(document as unknown as OpenApiDocument, isOn as Record<Feature, boolean>);
        insist(
          isDeepStrictEqual(served, expected),
          'the document is not docs/openapi.json of this checkout; is this the commit that is deployed?',
        );
        return `${Object.keys(served.paths).length} paths, as in this checkout`;
      },
    },
    { name: 'unknown path', run: () => refused(404, '/api/nothing-is-here', NOT_FOUND) },
    {
      name: 'protected route',
      run: () => refused(401, '/api/user/profile', UNAUTHORIZED),
    },
    {
      name: 'rate headers',
      run: async () => {
        const { headers } = await answered(200, 'GET', '/api/categories');
        const policy = headers.get('ratelimit-policy');
        insist(policy !== null && headers.get('ratelimit') !== null, 'the answer names no quota');
        return policy ?? '';
      },
    },
    {
      name: 'preflight',
      missing: origins.length === 0 ? 'say which pages may call: --origin https://…' : undefined,
      run: async () => {
        for (const origin of origins) {
          const { status, headers } = await preflight(origin);
          insist(status < 300, `it was answered ${status}`);
          insist(headers.get('access-control-allow-origin') === origin, `pages of ${origin} may not call`);
          insist(headers.get('access-control-allow-credentials') === 'true', `${origin} may send no credentials`);
        }
        const foreign = (await preflight(FOREIGN_ORIGIN)).headers.get('access-control-allow-origin');
        insist(foreign === null, `pages of anybody may call: ${foreign}`);
        return `${origins.join(', ')} and no other`;
      },
    },
    {
      name: 'me',
      missing: token === undefined ? 'put a token into the variable SMOKE_TOKEN' : undefined,
      run: async () => {
        const options = token === undefined ? {} : { token };
        const { data } = await read<{ data: { id: string; is_admin: boolean } }>('/api/user/profile', options);
        return data.is_admin ? 'an administrator' : 'a user';
      },
    },
  ];
};
