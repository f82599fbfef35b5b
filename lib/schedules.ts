import { nextDue } from '#model/schedule.ts';

const DAY_MS = 86_400_000;
/** Every schedule repeats within a week; two weeks contain its longest pause. */
const OBSERVED_DAYS = 15;
const PAUSE_DAYS_MAX = 7;

/**
 * The longest time between two runs, in milliseconds.
 * @throws {Error} for an invalid expression and for pauses of more than a week.
 */
export const longestPause = (expression: string): number => {
  const end = OBSERVED_DAYS * DAY_MS;
  let pause = 0;
  for (let last = nextDue(expression, 0); last < end; ) {
    const next = nextDue(expression, last);
    pause = Math.max(pause, next - last);
    last = next;
  }
  if (pause === 0 || pause > PAUSE_DAYS_MAX * DAY_MS) {
    throw new Error(`The schedule ${expression} has pauses of more than a week.`);
  }
  return pause;
};
