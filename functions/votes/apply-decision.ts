import { applyVoteCase } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { finishDecision } from '#services/reactions/vote-cases.ts';

export const handler = subscribe(applyVoteCase, ({ data }) => finishDecision(data));
