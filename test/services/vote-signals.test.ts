import { expect, it } from 'vitest';
import { type ReviewedVote, signalsOf } from '#model/vote-case.ts';
import { Random } from '#test/catalog/random.ts';

const START = Date.parse('2026-03-01T10:00:00.000Z');
const MINUTE = 60_000;
const at = (minutes: number): string => new Date(START + minutes * MINUTE).toISOString();

/** Votes at minutes; accounts are as old as given, in hours. */
const vote = (number: number, minutes: number, ageHours: number, network: string | null = null): ReviewedVote => ({
  ...{ user_id: `usr_${number}`, voted_at: at(minutes), joined_at: at(minutes - 60 * ageHours), network },
});
const votes = (count: number, of: (number: number) => ReviewedVote) =>
  Array.from({ length: count }, (_, number) => of(number));
const named = (all: readonly ReviewedVote[]) => [...signalsOf(all)].map(([user, signals]) => [user, ...signals]).sort();

it('eight votes of new accounts within 60 minutes are conspicuous, seven are not', () => {
  const eight = votes(8, (number) => vote(number, number * 8, 1));
  expect(named(eight)).toEqual(eight.map(({ user_id }) => [user_id, 'new_accounts']).sort());
  expect(named(eight.slice(1))).toEqual([]);
  expect(named(votes(8, (number) => vote(number, number * 9, 1)))).toEqual([]);
});

it('an account of a day is not new', () => {
  expect(named(votes(8, (number) => vote(number, number, 24)))).toEqual([]);
  expect(named(votes(8, (number) => vote(number, number, 23.9)))).toHaveLength(8);
});

it('new accounts must be at least half of the votes of the hour', () => {
  const fresh = votes(8, (number) => vote(number, number, 1));
  const old = (count: number) => votes(count, (number) => vote(100 + number, 10, 900));
  expect(named([...fresh, ...old(8)])).toHaveLength(8);
  expect(named([...fresh, ...old(9)])).toEqual([]);
});

it('five votes of one network on one day (UTC) are conspicuous, four or five on two days are not', () => {
  const five = votes(5, (number) => vote(number, number * 100, 900, 'net'));
  expect(named(five)).toEqual(five.map(({ user_id }) => [user_id, 'same_network']).sort());
  expect(named(five.slice(1))).toEqual([]);
  expect(named(votes(5, (number) => vote(number, number * 240, 900, 'net')))).toEqual([]);
  expect(named(votes(9, (number) => vote(number, number, 900)))).toEqual([]);
});

it('a vote can have both signals', () => {
  const all = votes(8, (number) => vote(number, number, 1, number < 5 ? 'net' : null));
  expect(signalsOf(all).get('usr_0')).toEqual(['new_accounts', 'same_network']);
  expect(signalsOf(all).get('usr_7')).toEqual(['new_accounts']);
});

it('the signals equal those of a plain implementation', () => {
  const random = new Random(12);
  for (let run = 0; run < 300; run += 1) {
    const all = votes(random.below(40), (number) =>
      vote(number, random.below(400), random.pick([1, 1, 900]), random.pick([null, 'a', 'b', 'c'])),
    );
    const expected = new Map<string, string[]>();
    for (const first of all) {
      const end = Date.parse(first.voted_at) + 60 * MINUTE;
      const hour = all.filter(({ voted_at }) => voted_at >= first.voted_at && Date.parse(voted_at) <= end);
      const fresh = hour.filter((one) => Date.parse(one.voted_at) - Date.parse(one.joined_at) < 24 * 60 * MINUTE);
      if (fresh.length >= 8 && fresh.length * 2 >= hour.length)
        for (const { user_id } of fresh) expected.set(user_id, ['new_accounts']);
    }
    for (const one of all) {
      const same = all.filter(
        ({ network, voted_at }) => network === one.network && voted_at.slice(0, 10) === one.voted_at.slice(0, 10),
      );
      if (one.network !== null && same.length >= 5)
        expected.set(one.user_id, [...(expected.get(one.user_id) ?? []), 'same_network']);
    }
    expect([run, named(all)]).toEqual([run, [...expected].map(([user, signals]) => [user, ...signals]).sort()]);
  }
});
