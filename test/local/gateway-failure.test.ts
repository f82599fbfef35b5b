import { afterEach, expect, it, vi } from 'vitest';
import { defineRoute, type RouteDeclaration } from '#contract/route.ts';
import { startGateway } from '#local/gateway.ts';
import { log } from '#platform/log.ts';

vi.stubEnv('TABLE_NAME', 'directory');

afterEach(() => void vi.restoreAllMocks());

const declaration = { summary: 'A route of the test', auth: 'public', tier: 'none', permissions: [], method: 'GET' };
const route = defineRoute('test.read', {
  ...declaration,
  path: '/api/x',
  responses: {},
} as unknown as RouteDeclaration);

it('a gateway that cannot have its routes logs the error and responds with 500', async () => {
  const logged = vi.spyOn(log, 'error').mockImplementation(() => undefined);
  const gateway = await startGateway({
    host: undefined,
    port: 0,
    routes: [route, route],
    importHandler: () => Promise.reject(new Error('No handler is loaded.')),
    localRoutes: () => [],
    ready: Promise.resolve(),
    timeoutFactor: 1,
  });
  const response = await fetch(`http://127.0.0.1:${gateway.port}/api/x`);
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ code: 'INTERNAL' });
  expect(logged).toHaveBeenCalledWith('the gateway did not start', expect.anything());
  await gateway.stop();
});

it('a start that fails elsewhere reports its error itself', async () => {
  const logged = vi.spyOn(log, 'error').mockImplementation(() => undefined);
  const gateway = await startGateway({
    host: undefined,
    port: 0,
    routes: [],
    importHandler: () => Promise.reject(new Error('No handler is loaded.')),
    localRoutes: () => [],
    ready: Promise.reject(new Error('The port of another part is in use.')),
    timeoutFactor: 1,
  });
  expect((await fetch(`http://127.0.0.1:${gateway.port}/api/x`)).status).toBe(500);
  expect(logged).not.toHaveBeenCalled();
  await gateway.stop();
});
