/** The part of the provider that the tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
    /** Adds middleware of Koa. */
    use(
      middleware: (
        context: { readonly path: string; readonly querystring: string; body?: object },
        next: () => Promise<void>,
      ) => Promise<void>,
    ): this;
    on(
      event: 'grant.success',
      listener: (context: { readonly oidc: { readonly params: { readonly grant_type: string } } }) => void,
    ): this;
    on(event: 'refresh_token.destroyed', listener: () => void): this;
  }
}
