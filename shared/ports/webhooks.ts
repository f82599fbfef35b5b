import { setTimeout as wait } from 'node:timers/promises';
import {
  dueDeliveries,
  findDelivery,
  insertDelivery,
  removeDelivery,
  replaceDelivery,
  restartDelivery,
} from '#data/deliveries.ts';
import {
  allWebhooks,
  disableWebhook,
  findWebhook,
  insertWebhook,
  noteFailing,
  noteWorking,
  removeWebhook,
  replaceWebhook,
} from '#data/webhooks.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { refusalOf } from '#platform/outbound.ts';
import { newWebhookSecret } from '#platform/webhook-signature.ts';
import { sendPorts } from './send-webhook.ts';

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
