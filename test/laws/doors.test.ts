import { describe, expect, it } from 'vitest';
import { doorIdOf, doorOf, routes } from '#contract/table.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { filesIn, importsOf, read } from './sources.ts';

/** Functions that stand for no route and no subscription. */
const OTHERS = ['functions/events/publish.ts', 'functions/identity/add-claims.ts', 'functions/mail/note-return.ts'];

const LINES_MAX = 40;

const files = filesIn('functions/**/*.ts');
// Routes that share a door are called by it.
const routeDoors = [...new Set(routes.map(doorIdOf))].map((id) => ({ id, file: `functions/${doorOf(id)}.ts` }));
const subscriptionDoors = subscriptions.map(({ id }) => ({ id, file: `functions/${doorOf(id)}.ts` }));
const doors = [...routeDoors, ...subscriptionDoors].filter(({ file }) => files.includes(file));

/** What a file loads in the end, without types. */
const loadedBy = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.endsWith('.ts') || file.startsWith('node:')) return seen;
  for (const { from, typeOnly } of importsOf(file)) if (!typeOnly) loadedBy(from, seen);
  return seen;
};

describe('doors', () => {
  it('are there for every route and subscription', () => {
    expect([...routeDoors, ...subscriptionDoors].filter(({ file }) => !files.includes(file))).toEqual([]);
  });

  it('are there for nothing else', () => {
    const known = new Set([...routeDoors, ...subscriptionDoors].map(({ file }) => file).concat(OTHERS));
    expect(files.filter((file) => !known.has(file))).toEqual([]);
  });

  it('belong to one id each', () => {
    const named = [...routeDoors, ...subscriptionDoors].map(({ file }) => file);
    expect(named.filter((file, index) => named.indexOf(file) !== index)).toEqual([]);
  });

  it('open their own route', () => {
    for (const { id, file } of routeDoors.filter((door) => files.includes(door.file))) {
      const [, verb = ''] = id.split('.');
      const opened = /^export const handler = (?:handle|runJob)\(\s*(\w+),/m.exec(read(file))?.[1];
      expect([file, opened]).toEqual([file, verb]);
      const contracts = importsOf(file).filter(
        ({ from, typeOnly }) => !typeOnly && from.startsWith('shared/contract/'),
      );
      expect([file, contracts.length]).toEqual([file, 1]);
    }
  });

  it('are thin', () => {
    for (const { file } of doors)
      expect([file, read(file).trimEnd().split('\n').length <= LINES_MAX]).toEqual([file, true]);
  });

  it('leave statuses, bodies and the outside world to others', () => {
    for (const { file } of doors) {
      expect([file, /statusCode|JSON\.stringify|process\.env/.exec(read(file))?.[0]]).toEqual([file, undefined]);
      const foreign = importsOf(file).filter(({ from }) => /^(?:@aws-sdk|@smithy|stripe|aws-lambda|node:)/.test(from));
      expect([file, foreign]).toEqual([file, []]);
    }
  });

  it('never load the whole table of routes, nor what is for other programs', () => {
    for (const file of files) {
      const loaded = [...loadedBy(file)];
      const wrong = loaded.filter((one) =>
        /^(?:shared\/contract\/table\.ts|shared\/client\.ts|lib\/|local\/|test\/|scripts\/)/.test(one),
      );
      expect([file, wrong]).toEqual([file, []]);
    }
  });
});
