import { readPublic } from '#contract/settings.ts';
import { offer } from '#data/offer.ts';
import { siteValues } from '#data/settings.ts';
import { siteSettings } from '#domain/settings/site.ts';
import { handle, ok } from '#http/handle.ts';
import { settings } from '#platform/settings.ts';

export const handler = handle(readPublic, { siteValues, settings, offer }, async (_call, ports) =>
  ok({ data: siteSettings(await ports.siteValues(), ports.settings().features, ports.offer()) }),
);
