import { describe, expect, it } from 'vitest';
import { handlerFiles } from '#lib/handlers.ts';
import { readSettings } from '#platform/settings.ts';
import { hasEnvironment, known, secrets, variablesOf } from './function-variables.ts';

/** The environment of every function: its template sets only variables that code reads, and no secrets. */

describe.each(handlerFiles.filter(({ id }) => id !== 'identity.addClaims'))('the environment of $id', (handler) => {
  const variables = variablesOf(handler);

  it('is valid for readSettings', () => {
    expect(readSettings(variables)).toMatchObject({ feedShards: 4 });
  });

  it('has no unused variable', () => {
    expect(Object.keys(variables).filter((name) => !known.has(name))).toEqual([]);
  });

  it('has names of parameters instead of secrets', () => {
    expect(Object.keys(variables).filter((name) => secrets.includes(name))).toEqual([]);
    for (const [name, value] of Object.entries(variables)) {
      if (name.endsWith('_PARAMETER')) expect(value).toMatch(/^\/directory\/dev\//);
    }
  });
});

it('identity.addClaims has no environment', () => {
  expect(hasEnvironment({ id: 'identity.addClaims' })).toBe(false);
});

it('the list of secrets is complete', () => {
  expect(secrets.toSorted()).toEqual([
    'AI_API_KEY',
    'API_KEY_PEPPER',
    'CRON_SECRET',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
  ]);
});
