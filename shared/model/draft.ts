import { DAY_MS } from './days.ts';

/** The unfinished content of a submission. `version` increases with every write. */
export interface DraftRecord {
  readonly id: string;
  readonly user_id: string;
  /** JSON, so that every value stays as it was sent: the table cannot store all of them. */
  readonly content: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
}

/** How many drafts a user can have. */
export const DRAFTS_MAX = 20;

const LIFETIME_DAYS = 90;

export const expiryOf = ({ updated_at }: Pick<DraftRecord, 'updated_at'>): string =>
  new Date(Date.parse(updated_at) + LIFETIME_DAYS * DAY_MS).toISOString();
