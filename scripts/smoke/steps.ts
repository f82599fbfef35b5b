import { isDeepStrictEqual } from 'node:util';
import type { Health } from '#contract/health.ts';
import { type Feature, features } from '#contract/route.ts';
import type { SiteSettings } from '#contract/settings.ts';
import { type OpenApiDocument, visible } from '#shared/openapi/visible.ts';
import type { CallOptions, CallResponse, Client } from '#test/support/client.ts';
import document from '../../docs/openapi.json' with { type: 'json' };
import { checkTransport } from './transport.ts';

interface SmokeOptions {
  readonly url: URL;
  readonly client: Client;
  /** Origins that CORS must allow. */
  readonly origins: readonly string[];
  /** For the routes that need a user. */
  readonly token: string | undefined;
  readonly timeoutMs: number;
}

/** One check of a deployment. */
export interface SmokeStep {
  readonly name: string;
  /** Why the check is skipped; undefined when it is run. */
  readonly missing?: string | undefined;
  /** @returns a description of the result. @throws {Error} when the check fails. */
  readonly run: () => Promise<string>;
}

const FOREIGN_ORIGIN = 'https://foreign.invalid';
const NOT_FOUND = { error: 'Not found', code: 'NOT_FOUND' };
const UNAUTHORIZED = { error: 'Unauthorized', code: 'UNAUTHORIZED' };
const SHOWN_MAX = 300;

const insist = (condition: boolean, message: string): void => {
  if (!condition) throw new Error(message);
};

interface List {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly meta: {
    readonly total: number;
    readonly facets?: Readonly<Record<string, readonly { readonly count: number }[]>>;
  };
}

/** All checks in order. The others are skipped when one of the first two fails. */
export const smokeSteps = ({ url, client, origins, token, timeoutMs }: SmokeOptions): readonly SmokeStep[] => {
  const expectStatus = async (
    status: number,
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<CallResponse> => {
    const response = await client.call(method, path, options);
    insist(
      response.status === status,
      `${method} ${path} returned ${response.status} instead of ${status}: ${JSON.stringify(response.body)?.slice(0, SHOWN_MAX)}`,
    );
    return response;
  };
  const read = async <T>(path: string, options?: CallOptions): Promise<T> =>
    (await expectStatus(200, 'GET', path, options)).body as T;
  const expectError = async (status: number, path: string, body: object): Promise<string> => {
    const response = await expectStatus(status, 'GET', path);
    insist(isDeepStrictEqual(response.body, body), `GET ${path} returned ${JSON.stringify(response.body)}`);
    return `${status} in the contract's shape`;
  };
  const preflight = (origin: string): Promise<CallResponse> =>
    client.call('OPTIONS', '/api/projects', {
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });

  return [
    { name: 'transport', run: () => checkTransport(url, timeoutMs) },
    {
      name: 'health',
      run: async () => {
        const { headers, body } = await expectStatus(200, 'GET', '/api/health');
        insist(headers.get('cache-control') === 'no-store', 'the response may be cached');
        const { version, stage } = (body as { data: Health }).data;
        return `version ${version} of stage ${stage}`;
      },
    },
    {
      name: 'deep health',
      run: async () => {
        const { data } = await read<{ data: Health }>('/api/health?deep=1');
        insist(data.parts !== undefined, 'the parts are missing');
        return Object.entries(data.parts ?? {})
          .map(([part, state]) => `${part} ${state}`)
          .join(', ');
      },
    },
    {
      name: 'list',
      run: async () => {
        const { data, meta } = await read<List>('/api/projects?limit=5');
        insist(data.length === Math.min(5, meta.total), `the page of 5 has ${data.length} of ${meta.total} projects`);
        return `${meta.total} projects`;
      },
    },
    {
      name: 'facets',
      run: async () => {
        const { meta } = await read<List>('/api/projects?limit=1&facets=pricing,category');
        // Every project has exactly one pricing type.
        const sum = (meta.facets?.pricing ?? []).reduce((total, { count }) => total + count, 0);
        insist(sum === meta.total, `the pricing facets add up to ${sum} of ${meta.total} projects`);
        return `${meta.facets?.category?.length ?? 0} categories in use`;
      },
    },
    {
      name: 'search',
      run: async () => {
        const [first] = (await read<List>('/api/projects?limit=1')).data;
        if (!first) return 'no projects yet';
        const query = new URLSearchParams({ q: first.name, limit: '100' });
        const found = await read<List>(`/api/projects?${query.toString()}`);
        insist(
          found.data.some(({ id }) => id === first.id),
          `${first.id} was not found by its name`,
        );
        return `${found.meta.total} results for the name of a project`;
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
          'the document differs from docs/openapi.json; check out the deployed commit',
        );
        return `${Object.keys(served.paths).length} paths, same as in this checkout`;
      },
    },
    { name: 'unknown path', run: () => expectError(404, '/api/nothing-is-here', NOT_FOUND) },
    {
      name: 'protected route',
      run: () => expectError(401, '/api/user/profile', UNAUTHORIZED),
    },
    {
      name: 'rate headers',
      run: async () => {
        const { headers } = await expectStatus(200, 'GET', '/api/categories');
        const policy = headers.get('ratelimit-policy');
        insist(policy !== null && headers.get('ratelimit') !== null, 'the rate limit headers are missing');
        return policy ?? '';
      },
    },
    {
      name: 'preflight',
      missing: origins.length === 0 ? 'skipped without --origin https://…' : undefined,
      run: async () => {
        for (const origin of origins) {
          const { status, headers } = await preflight(origin);
          insist(status < 300, `the preflight returned ${status}`);
          insist(headers.get('access-control-allow-origin') === origin, `${origin} is not allowed`);
          insist(headers.get('access-control-allow-credentials') === 'true', `${origin} may not send credentials`);
        }
        const foreign = (await preflight(FOREIGN_ORIGIN)).headers.get('access-control-allow-origin');
        insist(foreign === null, `any origin is allowed: ${foreign}`);
        return `${origins.join(', ')} only`;
      },
    },
    {
      name: 'me',
      missing: token === undefined ? 'skipped without SMOKE_TOKEN' : undefined,
      run: async () => {
        const options = token === undefined ? {} : { token };
        const { data } = await read<{ data: { id: string; is_admin: boolean } }>('/api/user/profile', options);
        return data.is_admin ? 'an administrator' : 'a user';
      },
    },
  ];
};
