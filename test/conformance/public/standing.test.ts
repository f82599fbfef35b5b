import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Health } from '#contract/health.ts';
import type { Feature } from '#contract/route.ts';
import { features } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { type OpenApiDocument, visible } from '#shared/openapi/visible.ts';
import { dataOf, NOT_FOUND } from '#test/support/fixtures.ts';
import { pathOf } from '#test/support/requests.ts';
import document from '../../../docs/openapi.json' with { type: 'json' };
import { openStage, type Stage } from '../stage.ts';

/** What stands before any data: life, the document, the answers to what there is not, the words for other origins. */

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

const call = (...given: Parameters<Stage['client']['call']>) => stage.client.call(...given);
const named = routes.map((route) => ({ id: route.id, route }));

describe('the service', () => {
  it('is alive, and reaches its table and its bus', async () => {
    const shallow = await call('GET', '/api/health');
    expect(shallow).toMatchObject({ status: 200, body: { data: { status: 'ok' } } });
    expect(shallow.headers.get('cache-control')).toBe('no-store');
    const deep = await call('GET', '/api/health?deep=1');
    expect(deep.status).toBe(200);
    expect(dataOf<Health>(deep).parts).toEqual({ table: 'ok', bus: 'ok' });
  });

  it('describes itself as this checkout does, without what is switched off', async () => {
    const isOn = Object.fromEntries(features.map((feature) => [feature, stage.isOn(feature)]));
    const { body } = await call('GET', '/api/openapi.json');
    expect(body).toEqual(visible(document as unknown as OpenApiDocument, isOn as Record<Feature, boolean>));
  });
});

describe('what there is not', () => {
  it.each([
    ['GET', '/api/nothing-is-here'],
    ['GET', '/api/projects/x/y/z'],
    ['PATCH', '/api/projects'],
    ['DELETE', '/api/categories'],
    ['POST', '/api/admin/nothing-is-here'],
  ])('is 404 in the contract’s shape: %s %s', async (method, path) => {
    const answer = await call(method, path);
    expect({ status: answer.status, body: answer.body }).toEqual(NOT_FOUND);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each(named.filter(({ route }) => route.feature !== undefined))(
    '$id is 404 exactly where its feature is switched off',
    async ({ route }) => {
      const answer = await call(route.method, pathOf(route));
      // Of a thing that does not exist nothing else can be known without a credential.
      if (route.path.includes('{') && route.auth !== 'user' && route.auth !== 'admin') return;
      const isOn = stage.isOn(route.feature as Feature);
      expect([route.id, answer.status === 404]).toEqual([route.id, !isOn]);
    },
  );
});

describe('pages of other origins', () => {
  const preflight = (method: string, path: string, origin: string) =>
    call('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization, content-type, if-match, idempotency-key',
      },
    });

  it.each(named)('may call $id if they are of the configuration', async ({ route }) => {
    for (const origin of stage.origins) {
      const { status, headers } = await preflight(route.method, pathOf(route), origin);
      expect(status).toBeLessThan(300);
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-allow-credentials')).toBe('true');
      expect(headers.get('access-control-allow-methods')).toContain(route.method);
      const allowed = (headers.get('access-control-allow-headers') ?? '').toLowerCase();
      for (const name of ['authorization', 'content-type', 'if-match', 'if-none-match', 'idempotency-key'])
        expect(allowed).toContain(name);
    }
  });

  it('may read answers, failures too, if they are of the configuration', async () => {
    for (const origin of stage.origins) {
      for (const path of ['/api/projects?limit=1', '/api/nothing-is-here', '/api/user/profile']) {
        const { headers } = await call('GET', path, { headers: { origin } });
        expect([path, headers.get('access-control-allow-origin')]).toEqual([path, origin]);
        expect((headers.get('access-control-expose-headers') ?? '').toLowerCase()).toContain('x-request-id');
      }
    }
  });

  it('get no words for them otherwise', async () => {
    const origin = 'https://nobody.invalid';
    for (const { headers } of [
      await call('GET', '/api/projects?limit=1', { headers: { origin } }),
      await preflight('POST', '/api/projects', origin),
    ])
      expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
