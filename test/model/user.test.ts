import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Identity, identityChanges, newUser, type UserRecord } from '#model/user.ts';

const SEED = 20261127;

/** Tokens of a user, each with another time. */
const tokens = fc
  .uniqueArray(
    fc.record({
      day: fc.integer({ min: 1, max: 9 }),
      email: fc.constantFrom('a', 'b', 'c', null),
      emailVerified: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6, selector: ({ day }) => day },
  )
  .map((all) =>
    all.map(({ day, email, emailVerified }): Identity => {
      const issuedAt = `2026-11-0${day}T00:00:00.000Z`;
      return { sub: 'u', email: email && `${email}@example.com`, emailVerified, name: null, issuedAt };
    }),
  );

const USER = newUser(
  { sub: 'u', email: null, emailVerified: false, name: null, issuedAt: null },
  [],
  '2026-11-01T00:00:00.000Z',
);

const after = (user: UserRecord, identity: Identity): UserRecord => ({
  ...user,
  ...identityChanges(user, identity, []),
});

/** The token whose address counts: the newest with a verified one, or else the newest with one. */
const counting = (all: readonly Identity[]): Identity | undefined => {
  const addressed = all.filter(({ email }) => email !== null);
  const verified = addressed.filter(({ emailVerified }) => emailVerified);
  return (verified.length > 0 ? verified : addressed).toSorted((one, other) =>
    String(other.issuedAt) > String(one.issuedAt) ? 1 : -1,
  )[0];
};

it('tokens in any order, each used any number of times, end in the address of the newest verified one', () => {
  const uses = tokens.chain((all) => fc.tuple(fc.constant(all), fc.array(fc.constantFrom(...all), { maxLength: 20 })));
  fc.assert(
    fc.property(uses, ([all, used]) => {
      const seen = [...all, ...used].reduce(after, USER);
      const expected = counting(all);
      // The token that counts is used once more: an address that is stored already has the time of an older token.
      const last = expected ? after(seen, expected) : seen;
      expect([last.email, last.email_verified]).toEqual([expected?.email ?? null, expected?.emailVerified ?? false]);
    }),
    { seed: SEED, numRuns: 5000 },
  );
});

it('tokens that are used by turns do not make the address alternate', () => {
  fc.assert(
    fc.property(tokens, (all) => {
      let user = USER;
      let writes = 0;
      for (let turn = 0; turn < 10; turn += 1) {
        for (const token of all) {
          const next = after(user, token);
          if (next.email_issued_at !== user.email_issued_at) writes += 1;
          user = next;
        }
      }
      expect(writes).toBeLessThanOrEqual(all.length * 2);
      expect(all.reduce(after, user)).toEqual(user);
    }),
    { seed: SEED, numRuns: 2000 },
  );
});
