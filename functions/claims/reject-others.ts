import { rejectOtherClaims as subscription } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { rejectOvertakenClaims } from '#services/claims/apply.ts';

export const handler = subscribe(subscription, ({ data }) => rejectOvertakenClaims(data.project_id));
