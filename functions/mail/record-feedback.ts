import middy from '@middy/core';
import { mailFeedback } from '#events/subscriptions.ts';
import { type Delivery, withDeliveryLog } from '#http/subscribe.ts';
import { handleFeedback } from '#services/mail/feedback.ts';

const handleDelivery = middy<Delivery, void>().handler(async ({ detail }) => {
  await handleFeedback(detail);
});

export const handler = withDeliveryLog(mailFeedback.id, ({ id }) => ({ message_id: id }), handleDelivery);
