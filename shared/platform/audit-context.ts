import { AsyncLocalStorage } from 'node:async_hooks';

/** What is being done on whose behalf, while an audited request runs. */
export interface AuditedRequest {
  readonly actorId: string;
  /** The id of the route. */
  readonly action: string;
  readonly requestId: string;
  /** Where the request came from; administrators only. */
  readonly address: string | null;
  /** What was asked for, checked by the route's schema. */
  readonly input: unknown;
}

const storage = new AsyncLocalStorage<AuditedRequest>();

/** Does some work as part of an audited request: every transaction in it writes its entry into the log. */
export const inAuditedRequest = <T>(request: AuditedRequest, work: () => Promise<T>): Promise<T> =>
  storage.run(request, work);

/** The audited request that is running, if one is. */
export const auditedRequest = (): AuditedRequest | undefined => storage.getStore();
