import middy from '@middy/core';
import { type Delivery, withDeliveryLog } from '#events/subscribe.ts';
import { mailFeedback } from '#events/subscriptions.ts';
import { parseFeedback } from '#platform/mail-feedback.ts';
import { handleFeedback } from '#services/mail/feedback.ts';

const handleDelivery = middy<Delivery, void>().handler(async ({ detail }) => {
  await handleFeedback(parseFeedback(detail));
});

export const handler = withDeliveryLog(mailFeedback.id, ({ id }) => ({ message_id: id }), handleDelivery);
