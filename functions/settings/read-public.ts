import { readPublic } from '#contract/settings.ts';
import { cachedSettings } from '#data/settings.ts';
import { handle, ok } from '#http/handle.ts';
import { settings } from '#platform/settings.ts';
import { offer } from '#services/payments/prices.ts';
import { siteSettings } from '#services/settings/site.ts';

export const handler = handle(readPublic, async () => {
  const { features, signIn, liveEdits } = settings();
  return ok({ data: siteSettings(await cachedSettings(), features, offer(), signIn, liveEdits) });
});
