import { describe, expect, it } from 'vitest';
import { handlerFiles } from '#lib/handlers.ts';
import { readEnvironment } from '#platform/environment.ts';
import { hasEnvironment, known, variablesOf } from './function-variables.ts';

/** The environment of every function: its template sets only variables that code reads. */

describe.each(handlerFiles.filter(({ id }) => id !== 'identity.addClaims'))('the environment of $id', (handler) => {
  const variables = variablesOf(handler);

  it('is valid for readEnvironment', () => {
    expect(readEnvironment(variables)).toMatchObject({ feedShards: 4 });
  });

  it('has no unused variable', () => {
    expect(Object.keys(variables).filter((name) => !known.has(name))).toEqual([]);
  });
});

it('identity.addClaims has no environment', () => {
  expect(hasEnvironment({ id: 'identity.addClaims' })).toBe(false);
});
