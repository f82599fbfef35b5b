import { expect, it } from 'vitest';
import * as z from 'zod';
import { eventKinds } from '#contract/events.ts';
import { features, permissions } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { type MessageKind, sourceOf, taskKinds } from '#events/catalogue.ts';
import { jobs, requestedRunsOf } from '#events/jobs.ts';
import { type Subscription, subscriptions } from '#events/subscriptions.ts';

const kinds = Object.keys({ ...eventKinds, ...taskKinds }) as MessageKind[];
const all: readonly Subscription[] = subscriptions;

it('events have a schema that converts to JSON Schema, and a description', () => {
  for (const [kind, schema] of Object.entries(eventKinds)) {
    expect(kind).toMatch(/^[a-z]+(?:[A-Z][a-z]+)+$/);
    const json: Record<string, unknown> = z.toJSONSchema(schema);
    expect([kind, json.type]).toEqual([kind, 'object']);
    expect([kind, typeof json.description]).toEqual([kind, 'string']);
  }
});

it('events and tasks have different sources', () => {
  const sources = (names: object) => (Object.keys(names) as MessageKind[]).map(sourceOf);
  expect(sources(eventKinds).filter((source) => sources(taskKinds).includes(source))).toEqual([]);
  expect(kinds).toHaveLength(new Set(kinds).size);
});

it('subscriptions have unique ids of the form domain.actionObject', () => {
  const ids = all.map(({ id }) => id);
  for (const id of ids) expect(id).toMatch(/^[a-z]+\.[a-z][a-zA-Z]*$/);
  const named = [...ids, ...routes.map(({ id }) => id)];
  expect(named.filter((id, index) => named.indexOf(id) !== index)).toEqual([]);
});

it('subscriptions refer to existing kinds, features and permissions', () => {
  for (const subscription of all) {
    expect(subscription.kinds.length).toBeGreaterThan(0);
    expect(kinds).toEqual(expect.arrayContaining([...subscription.kinds]));
    if (subscription.feature) expect(features).toContain(subscription.feature);
    expect(permissions).toEqual(expect.arrayContaining([...subscription.permissions]));
    expect(subscription.summary).toMatch(/^[A-Z].*\.$/);
  }
});

it('subscriptions process each kind of task exactly once, independent of features; each job starts its own runs', () => {
  for (const task of (Object.keys(taskKinds) as MessageKind[]).filter((kind) => kind !== 'jobDue')) {
    const workers = all.filter((subscription) => subscription.kinds.includes(task));
    expect([task, workers.map(({ feature }) => feature)]).toEqual([task, [undefined]]);
  }
  const started = jobs.flatMap((job) => requestedRunsOf(job).detail.data.job);
  expect(started).toEqual(jobs.map(({ route }) => route.path.split('/').at(-1)));
  expect(new Set(started).size).toBe(jobs.length);
});
