import { counted } from '../../format.ts';

export const text = {
  list: 'Jobs',
  runNow: 'Run now',
  started: (name: string) => `${name} runs in the background.`,
  every: (interval: string) => `every ${interval}`,
  daily: (time: string) => `daily at ${time} UTC`,
  hourly: (first: string, last: string) => `hourly from ${first} to ${last} UTC`,
  dailyWithin: (minutes: string, first: string, last: string) =>
    `daily, every ${minutes} minutes from ${first} to ${last} UTC`,
  weekly: (day: string, minutes: string, first: string, last: string) =>
    `on ${day}, every ${minutes} minutes from ${first} to ${last} UTC`,
  weekdays: {
    MON: 'Mondays',
    TUE: 'Tuesdays',
    WED: 'Wednesdays',
    THU: 'Thursdays',
    FRI: 'Fridays',
    SAT: 'Saturdays',
    SUN: 'Sundays',
  },
  ms: (count: string) => `${count} ms`,
  seconds: (count: string) => `${count} s`,
  recent: (count: number, failed: number) => `${counted(count, 'run')}, ${failed} failed`,
  runTitle: (at: string, took: string, summary: string) => `${at}, ${took}: ${summary}`,
  failedBefore: 'Failed',
  running: 'Running',
  off: 'Off',
  offReasons: {
    feature: 'Its feature is off. Switched on with',
    deployed_only: 'Not scheduled on one machine: it sends requests to the listed sites.',
  },
  within: (interval: string) => `within ${interval}`,
  never: 'Never run',
  succeeded: 'Succeeded',
  failed: 'Failed',
  columns: {
    name: 'Job',
    state: 'State',
    last: 'Last run',
    took: 'Duration',
    recent: 'Recent runs',
    result: 'Result',
    next: 'Next run',
    actions: 'Actions',
  },
} as const;
