import { replay } from '#contract/dead-letters.ts';
import { accepted, handle } from '#http/handle.ts';
import { replayDeadLetter } from '#services/dead-letters.ts';

export const handler = handle(replay, async ({ params }) => accepted({ data: await replayDeadLetter(params.letter) }));
