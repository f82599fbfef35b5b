import * as z from 'zod';

/** What several settings are made of; each says in words what is wrong with a value. */

/** An origin as browsers send it. */
export const Origin = z.string().regex(/^https:\/\/[^/\s"$#]+$|^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/, {
  error: 'must be an origin without a path, such as https://directory.example (http for this machine only)',
});

export const Address = z.email({ error: 'must be an e-mail address' });

/** A word that can be part of construct ids. */
export const Word = z.string().regex(/^[A-Z][A-Za-z0-9]{0,30}$/, { error: 'must be a word in PascalCase' });

export const HttpsAddress = z.url({ protocol: /^https$/, error: 'must be an https address' });

/** A name in the DNS, in small letters and without a dot at the end. */
export const DomainName = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, {
    error: 'must be a domain name in small letters, such as api.directory.example',
  });

export const Megabytes = z.int().min(128).max(10_240);
