import { replay } from '#contract/letters.ts';
import { accepted, handle } from '#http/handle.ts';
import { replayDeadLetter } from '#services/letters/manage.ts';

export const handler = handle(replay, async ({ params }) => accepted({ data: await replayDeadLetter(params.letter) }));
