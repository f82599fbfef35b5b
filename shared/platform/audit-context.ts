import { AsyncLocalStorage } from 'node:async_hooks';

interface AuditedRequest {
  readonly actorId: string;
  /** The name of an API key; null for users. */
  readonly actorName: string | null;
  readonly action: string;
  readonly requestId: string;
  /** The client address; null unless the actor is an administrator or an API key. */
  readonly address: string | null;
  readonly input: unknown;
}

const storage = new AsyncLocalStorage<AuditedRequest>();

/** Runs work as an audited request: each of its transactions adds an audit entry. */
export const inAuditedRequest = <T>(request: AuditedRequest, work: () => Promise<T>): Promise<T> =>
  storage.run(request, work);

/** Runs work that a request has recorded already. */
export const outsideAudit = <T>(work: () => Promise<T>): Promise<T> => storage.exit(work);

/** The current audited request; undefined outside of one. */
export const auditedRequest = (): AuditedRequest | undefined => storage.getStore();
