import { reportChanges } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { reportChange } from '#services/feeds/index-now.ts';

export const handler = subscribe(reportChanges, reportChange);
