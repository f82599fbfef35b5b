import { expect, it } from 'vitest';
import { handlerFileOf, handlerIdOf, routes } from '#contract/table.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { longTest } from '#test/support/long-test.ts';
import { filesIn, importsOf, read } from './sources.ts';

/** Functions without a route or subscription. */
const OTHERS = ['functions/events/publish.ts', 'functions/identity/add-claims.ts', 'functions/mail/record-feedback.ts'];

const LINES_MAX = 40;

const files = filesIn('functions/**/*.ts');
// Routes can share a handler.
const routeHandlers = [...new Set(routes.map(handlerIdOf))].map((id) => ({
  id,
  file: `functions/${handlerFileOf(id)}.ts`,
}));
const subscriptionHandlers = subscriptions.map(({ id }) => ({ id, file: `functions/${handlerFileOf(id)}.ts` }));
const handlers = [...routeHandlers, ...subscriptionHandlers].filter(({ file }) => files.includes(file));

/** All files and packages that a file loads, directly or indirectly, except type imports. */
const loadedBy = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.endsWith('.ts') || file.startsWith('node:')) return seen;
  for (const { from, typeOnly } of importsOf(file)) if (!typeOnly) loadedBy(from, seen);
  return seen;
};

it('handlers exist for every route and subscription', () => {
  expect([...routeHandlers, ...subscriptionHandlers].filter(({ file }) => !files.includes(file))).toEqual([]);
});

it('handlers exist for routes, subscriptions and the listed triggers only', () => {
  const known = new Set([...routeHandlers, ...subscriptionHandlers].map(({ file }) => file).concat(OTHERS));
  expect(files.filter((file) => !known.has(file))).toEqual([]);
});

it('handlers are each in a file of their own', () => {
  const named = [...routeHandlers, ...subscriptionHandlers].map(({ file }) => file);
  expect(named.filter((file, index) => named.indexOf(file) !== index)).toEqual([]);
});

it('handlers handle their own route and import no other contract', () => {
  for (const { id, file } of routeHandlers.filter((handler) => files.includes(handler.file))) {
    const [, action = ''] = id.split('.');
    const handled = /^export const handler = (?:handle|job)\(\s*(\w+),/m.exec(read(file))?.[1];
    expect([file, handled]).toEqual([file, action]);
    const contracts = importsOf(file).filter(({ from, typeOnly }) => !typeOnly && from.startsWith('shared/contract/'));
    expect([file, contracts.length]).toEqual([file, 1]);
  }
});

it(`handlers have at most ${LINES_MAX} lines`, () => {
  for (const { file } of handlers)
    expect([file, read(file).trimEnd().split('\n').length <= LINES_MAX]).toEqual([file, true]);
});

it('handlers set no status, serialize no body, read no environment variable and import no SDK', () => {
  for (const { file } of handlers) {
    expect([file, /statusCode|JSON\.stringify|process\.env/.exec(read(file))?.[0]]).toEqual([file, undefined]);
    const foreign = importsOf(file).filter(({ from }) => /^(?:@aws-sdk|@smithy|stripe|aws-lambda|node:)/.test(from));
    expect([file, foreign]).toEqual([file, []]);
  }
});

longTest('handlers do not load the route table, the client, infrastructure, tests or scripts', () => {
  for (const file of files) {
    const loaded = [...loadedBy(file)];
    const wrong = loaded.filter((one) =>
      /^(?:shared\/contract\/table\.ts|shared\/client\.ts|lib\/|local\/|test\/|scripts\/)/.test(one),
    );
    expect([file, wrong]).toEqual([file, []]);
  }
});
