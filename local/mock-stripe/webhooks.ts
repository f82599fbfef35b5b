import type { LambdaHandler } from '../handlers.ts';

/** The source of Stripe's webhook events on the bus, and the id of the trigger that sends them. */
export const WEBHOOK_SOURCE = 'mock-stripe';
export const WEBHOOK_TRIGGER = { id: 'mockStripe.sendWebhook', pattern: { source: [WEBHOOK_SOURCE] } } as const;

/** Sends webhook events to the service, signed as by Stripe. @param url of the service's webhook route. */
export const webhookSender =
  (url: string): LambdaHandler =>
  async (event) => {
    const payload = JSON.stringify((event as { detail: object }).detail);
    const secret = (process.env.STRIPE_WEBHOOK_SECRET ?? '').split(',')[0]?.trim() ?? '';
    // Imported at the first payment: it takes a tenth of a second and 35 MB.
    const { default: Stripe } = await import('stripe');
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret }),
      },
      body: payload,
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`The service responded with status ${response.status}.`);
  };
