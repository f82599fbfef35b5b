import middy from '@middy/core';
import type { EventBridgeEvent } from 'aws-lambda';
import { returnPorts } from '#data/mail-returns.ts';
import { noteReturn } from '#domain/mail/note-return.ts';
import { log } from '#platform/log.ts';
import { loggable, RunFailed } from '#platform/loggable.ts';
import { readMailReturn } from '#platform/mail-return.ts';

export const handler = middy<EventBridgeEvent<string, unknown>, void>().handler(async ({ id, detail }, context) => {
  const said = { subscription: 'mail.noteReturn', request_id: context?.awsRequestId, message_id: id };
  try {
    await noteReturn(returnPorts, readMailReturn(detail));
    log.info('delivered', said);
  } catch (error) {
    log.error('delivery failed', { ...said, ...loggable(error) });
    throw new RunFailed(said.subscription, error);
  }
});
