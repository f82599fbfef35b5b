import { cachedSettings } from '#data/settings.ts';
import { environment } from '#platform/environment.ts';
import { addressOf } from '#services/feeds/addresses.ts';

/** The metadata of RFC 9728. */
export const protectedResource = async () => ({
  resource: addressOf('/mcp'),
  authorization_servers: [environment().signIn?.issuer ?? ''].filter((issuer) => issuer !== ''),
  bearer_methods_supported: ['header'],
  resource_name: (await cachedSettings()).site.name,
});
