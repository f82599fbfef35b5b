import { setTimeout as wait } from 'node:timers/promises';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { postOutbound, refusalOf } from '#platform/outbound.ts';
import { settings } from '#platform/settings.ts';
import { newWebhookSecret, signWebhook } from '#platform/webhook-signature.ts';
import {
  countDeliveries,
  dueDeliveries,
  findDelivery,
  insertDelivery,
  pageOfDeliveries,
  removeDelivery,
  replaceDelivery,
  restartDelivery,
} from './deliveries.ts';
import {
  allWebhooks,
  disableWebhook,
  findWebhook,
  insertWebhook,
  noteFailing,
  noteWorking,
  removeWebhook,
  replaceWebhook,
} from './webhooks.ts';

/** What the verbs that manage webhooks work with. */
export const managePorts = {
  now,
  newId,
  newSecret: newWebhookSecret,
  refusalOf: (url: string) => refusalOf(url),
  allWebhooks,
  findWebhook,
  insertWebhook,
  replaceWebhook,
  removeWebhook,
};

const sendPorts = {
  now,
  newId,
  findWebhook,
  site: () => ({ siteName: settings().siteName, siteUrl: settings().siteUrl }),
  sign: signWebhook,
  post: (request: Parameters<typeof postOutbound>[0]) => postOutbound(request),
};

// A process that waits takes no other event meanwhile, or one less of a few: of those that take several, one at a time waits.
let isWaiting = false;

/** Waits, unless this process waits for another delivery already. @returns whether it has waited. */
const waitAlone = async (ms: number): Promise<boolean> => {
  if (isWaiting) return false;
  isWaiting = true;
  try {
    await wait(ms);
    return true;
  } finally {
    isWaiting = false;
  }
};

/** What sending a ping works with. */
export const pingPorts = sendPorts;

/** What looking at deliveries works with. */
export const logPorts = { findWebhook, pageOfDeliveries, countDeliveries };

/** What the verbs that send deliveries work with: the first time, again when they are due, and when somebody asks. */
export const deliverPorts = {
  ...sendPorts,
  allWebhooks,
  findDelivery,
  insertDelivery,
  replaceDelivery,
  restartDelivery,
  removeDelivery,
  dueDeliveries,
  noteFailing,
  noteWorking,
  disableWebhook,
  wait: waitAlone,
};
